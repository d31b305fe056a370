import { Backoff } from './backoff.js';
import type { Connection } from './connection.js';
import type { Environment, Timer } from './environment.js';
import { HoldfastError } from './errors.js';
import { FIRST_RESEND_MILLIS, LONGEST_RESEND_MILLIS, MAX_OUTBOX } from './limits.js';
import type { OutboxEntry, OutboxEvent, OutboxStatus } from './outbox-entry.js';
import type { OutboxStore } from './outbox-store.js';
import type { Problem, Receipt } from './protocol.js';
import { answerProblem, isConnectionGone, receiptOf } from './replies.js';
import { Signal } from './signal.js';
import type { Answer } from './transport.js';

type Kind = OutboxEntry['kind'];

/** One message at a time is under way in a lane: those that are sent in order, and interrupts, which wait for none of them. */
interface Lane {
  readonly kind: Kind;
  readonly pauses: Backoff;
  underWay: string | undefined;
  timer: Timer | undefined;
}

interface Caller {
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: HoldfastError) => void;
}

/**
 * The user's messages on their way, in order, each under one key however often it is sent. It is kept over reloads of its tab. A message leaves it with its receipt; one
 * that was refused stays until someone decides.
 */
export class Outbox {
  #entries: readonly OutboxEntry[];
  readonly #lanes: Record<Kind, Lane>;
  readonly #callers = new Map<string, Caller>();
  readonly #events: Signal<OutboxEvent>;

  /** @internal */
  constructor(
    private readonly connection: Connection,
    private readonly environment: Environment,
    private readonly store: OutboxStore,
    private readonly onReceipt: (receipt: Receipt) => void,
  ) {
    this.#events = new Signal(error => environment.report(error));
    this.#entries = store.load();
    const lane = (kind: Kind): Lane => ({
      kind,
      pauses: new Backoff(FIRST_RESEND_MILLIS, LONGEST_RESEND_MILLIS, environment.random),
      underWay: undefined,
      timer: undefined,
    });
    this.#lanes = { send: lane('send'), interrupt: lane('interrupt') };
  }

  /** What is on its way, and what failed, oldest first. Another list after each change. */
  get entries(): readonly OutboxEntry[] {
    return this.#entries;
  }

  /** Returns what ends the listening. */
  listen(listener: (event: OutboxEvent) => void): () => void {
    return this.#events.listen(listener);
  }

  /**
   * Takes a message. The promise resolves with the receipt, and rejects if it is refused or discarded; a page that is reloaded before follows it in {@link entries}.
   *
   * @throws {HoldfastError} `full`, if too many wait already
   * @internal
   */
  add(entry: Omit<OutboxEntry, 'status'>): Promise<Receipt> {
    if (this.#entries.some(each => each.key === entry.key)) {
      throw new HoldfastError('refused', `A message with the key "${entry.key}" is on its way already.`);
    }
    const waiting = this.#entries.filter(each => each.status !== 'failed');
    if (waiting.length >= MAX_OUTBOX) {
      throw new HoldfastError('full', `${MAX_OUTBOX} messages wait already. Nothing was taken; try again when some are sent.`);
    }
    const added: OutboxEntry = { ...entry, status: 'pending' };
    const excess = this.#entries.length + 1 - MAX_OUTBOX;
    const oldest = this.#entries.filter(each => each.status === 'failed').slice(0, Math.max(0, excess));
    this.#keep([...this.#entries.filter(each => !oldest.includes(each)), added]);
    const receipt = new Promise<Receipt>((resolve, reject) => this.#callers.set(entry.key, { resolve, reject }));
    receipt.catch(() => undefined); // who does not wait for it follows the events
    this.#events.emit({ type: 'pending', entry: added });
    this.pump();
    return receipt;
  }

  /** Sends a message again that failed. It keeps its place and its key. */
  retry(key: string): void {
    const entry = this.#find(key);
    if (entry?.status === 'failed') {
      const { problem: _problem, ...rest } = entry;
      this.#change(key, { ...rest, status: 'pending' });
      this.#events.emit({ type: 'pending', entry: this.#find(key) as OutboxEntry });
      this.pump();
    }
  }

  /** Forgets a message. One that is under way, or uncertain, may be there all the same. Returns whether it was in the outbox. */
  discard(key: string): boolean {
    const entry = this.#find(key);
    if (entry === undefined) {
      return false;
    }
    this.#keep(this.#entries.filter(each => each.key !== key));
    const lane = this.#lanes[entry.kind];
    if (lane.underWay === key) {
      lane.underWay = undefined;
    }
    this.#call(key)?.reject(new HoldfastError('discarded', 'The message was discarded.'));
    this.#events.emit({ type: 'discarded', entry });
    this.pump();
    return true;
  }

  /** Forgets all messages. */
  clear(): void {
    [...this.#entries].forEach(entry => this.discard(entry.key));
  }

  /** Sends what can be sent now. @internal */
  pump(): void {
    this.#next(this.#lanes.interrupt);
    this.#next(this.#lanes.send);
  }

  /** The link is gone: what was under way is not answered any more. @internal */
  dropped(): void {
    for (const lane of Object.values(this.#lanes)) {
      this.#clear(lane);
      const key = lane.underWay;
      lane.underWay = undefined;
      if (key !== undefined) {
        this.#uncertain(key);
      }
    }
  }

  /** The client is not coming back: nothing is told any more, and what is there is kept. @internal */
  closed(): void {
    for (const lane of Object.values(this.#lanes)) {
      this.#clear(lane);
      const key = lane.underWay;
      lane.underWay = undefined;
      if (key !== undefined) {
        this.#status(key, 'uncertain');
      }
    }
    const closed = new HoldfastError('closed', 'The client was disconnected. The message stays in the outbox.');
    [...this.#callers.keys()].forEach(key => this.#call(key)?.reject(closed));
  }

  #next(lane: Lane): void {
    if (lane.underWay !== undefined || lane.timer !== undefined || !this.connection.isConnected) {
      return;
    }
    const entry = this.#entries.find(each => each.kind === lane.kind && each.status !== 'failed');
    if (entry === undefined) {
      return;
    }
    lane.underWay = entry.key;
    if (entry.status === 'pending') {
      this.#status(entry.key, 'sending');
    }
    const { kind, session, create, turn } = entry;
    const command = { type: kind, ...(session === null ? {} : { session }), ...(create ? { create } : {}), turn };
    this.connection.ask(command, answer => {
      if (lane.underWay === entry.key) {
        lane.underWay = undefined;
        this.#answered(lane, entry.key, answer);
      }
    });
  }

  #answered(lane: Lane, key: string, answer: Answer): void {
    const receipt = answer === null ? undefined : receiptOf(answer, key);
    if (receipt !== undefined) {
      lane.pauses.reset();
      this.#accepted(key, receipt);
      this.pump();
    } else if (answer !== null && (isConnectionGone(answer) || answer.status === 401)) {
      this.#notDone(key);
      this.connection.fail(answerProblem(answer).detail);
    } else if (answer === null || answer.status < 400 || answer.status >= 500 || [408, 425, 429].includes(answer.status)) {
      this.#again(lane, key, answer);
    } else {
      lane.pauses.reset();
      this.#failed(key, answerProblem(answer));
      this.pump();
    }
  }

  #again(lane: Lane, key: string, answer: Answer): void {
    const wasNotDone = answer !== null && [408, 425, 429, 503].includes(answer.status);
    if (wasNotDone) {
      this.#notDone(key);
    } else {
      this.#uncertain(key);
    }
    const after = (answer?.problem?.retryAfterSeconds ?? 0) * 1000;
    lane.timer = this.environment.setTimer(
      () => {
        lane.timer = undefined;
        this.#next(lane);
      },
      Math.max(after, lane.pauses.next()),
    );
  }

  #accepted(key: string, receipt: Receipt): void {
    const entry = this.#find(key) as OutboxEntry;
    this.#keep(this.#entries.filter(each => each.key !== key));
    this.onReceipt(receipt);
    this.#call(key)?.resolve(receipt);
    this.#events.emit({ type: 'accepted', entry, receipt });
  }

  #failed(key: string, problem: Problem): void {
    this.#change(key, { ...(this.#find(key) as OutboxEntry), status: 'failed', problem });
    this.#call(key)?.reject(HoldfastError.refused(problem));
    this.#events.emit({ type: 'failed', entry: this.#find(key) as OutboxEntry, problem });
  }

  #uncertain(key: string): void {
    if (this.#find(key)?.status !== 'uncertain') {
      this.#status(key, 'uncertain');
      this.#events.emit({ type: 'uncertain', entry: this.#find(key) as OutboxEntry });
    }
  }

  /** This attempt did nothing; an earlier one may have. */
  #notDone(key: string): void {
    if (this.#find(key)?.status === 'sending') {
      this.#status(key, 'pending');
    }
  }

  #find(key: string): OutboxEntry | undefined {
    return this.#entries.find(entry => entry.key === key);
  }

  #status(key: string, status: OutboxStatus): void {
    const entry = this.#find(key);
    if (entry !== undefined) {
      this.#change(key, { ...entry, status });
    }
  }

  #change(key: string, changed: OutboxEntry): void {
    this.#keep(this.#entries.map(entry => (entry.key === key ? changed : entry)));
  }

  #keep(entries: readonly OutboxEntry[]): void {
    this.#entries = entries;
    this.store.save(entries);
  }

  #call(key: string): Caller | undefined {
    const caller = this.#callers.get(key);
    this.#callers.delete(key);
    return caller;
  }

  #clear(lane: Lane): void {
    if (lane.timer !== undefined) {
      this.environment.clearTimer(lane.timer);
      lane.timer = undefined;
    }
  }
}
