import { Backoff, spread } from './backoff.js';
import type { Environment, Timer } from './environment.js';
import {
  ANSWER_MILLIS,
  FIRST_PAUSE_MILLIS,
  LONGEST_PAUSE_MILLIS,
  MAX_RETRY_AFTER_MILLIS,
  PROBE_MILLIS,
  STABLE_MILLIS,
  WELCOME_MILLIS,
} from './limits.js';
import type { ClientMessage, Problem, ReconnectCommand, ReconnectResult, ServerMessage, Welcome } from './protocol.js';
import { Suspension } from './suspension.js';
import type { Answer, Link, Loss, Transport, TransportKind } from './transport.js';

/** Why a client does not come back by itself. */
export type EndReason = 'left' | 'unauthorized' | 'forbidden' | 'refused';

export type ConnectionState =
  | { readonly status: 'disconnected' }
  | { readonly status: 'connecting' }
  | { readonly status: 'connected'; readonly connection: string; readonly transport: TransportKind }
  | { readonly status: 'waiting'; readonly detail: string; readonly pauseMillis: number | undefined }
  | { readonly status: 'ended'; readonly reason: EndReason; readonly detail: string; readonly problem?: Problem };

export type WatchedSession = ReconnectCommand['sessions'][number];

/** A command without its id, which is the connection's to give. */
export type Unnumbered<C> = C extends ClientMessage ? Omit<C, 'id'> : never;
export type Command = Unnumbered<ClientMessage>;

export interface ConnectionEvents {
  /** The sessions that are watched at this moment, with the cursors of this moment; `reconnect` asks for them now. */
  askAll(): WatchedSession[];
  isWatching(): boolean;
  /** What was watched is again. */
  reconnected(asked: WatchedSession[], result: ReconnectResult): void;
  message(message: ServerMessage): void;
  /** The link is gone; nothing that was sent over it is answered any more. */
  dropped(): void;
  changed(state: ConnectionState): void;
}

interface Probe {
  readonly nonce: string;
  readonly timer: Timer;
}

/**
 * The state machine of "Rules for a client" in docs/wires/session.md. It has at most one link. It is connected after the welcome and, where something is watched, after
 * the success of `reconnect`. What belongs to an earlier link, or to an earlier welcome, changes nothing; after `disconnect` nothing happens at all.
 */
export class Connection {
  #state: ConnectionState = { status: 'disconnected' };
  #link: Link | undefined;
  #id: string | undefined;
  #commands = 0;
  #heard = 0;
  #connectedAt: number | undefined;
  #heartbeatMillis = 0;
  #suspension = new Suspension();
  #probe: Probe | undefined;
  /** Ends the wait for the welcome. */
  #welcomed: () => void = () => undefined;
  #watchdog: Timer | undefined;
  #comeBack: Timer | undefined;
  #mustWait = false;
  readonly #limits = new Set<Timer>();
  readonly #pauses: Backoff;

  constructor(
    private readonly transport: Transport,
    private readonly environment: Environment,
    private readonly events: ConnectionEvents,
  ) {
    this.#pauses = new Backoff(FIRST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS, environment.random);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get isConnected(): boolean {
    return this.#state.status === 'connected';
  }

  /** Opens a connection unless there is one, or one is on its way. */
  connect(): void {
    if (this.#state.status === 'disconnected' || this.#state.status === 'ended') {
      this.#pauses.reset();
      this.#open();
    }
  }

  /** Ends it. Nothing fires any more but the change of the state, within this call. */
  disconnect(): void {
    this.#drop();
    this.#set({ status: 'disconnected' });
  }

  /** Says goodbye, and ends it. */
  leave(): void {
    if (this.#id !== undefined) {
      this.#link?.sendLast({ type: 'bye', id: this.#nextId() });
    }
    this.disconnect();
  }

  /** Gives the link up and opens another one at once. */
  reopen(): void {
    if (this.#state.status !== 'disconnected' && this.#state.status !== 'ended') {
      this.#open();
    }
  }

  /** Gives the link up and comes back after a pause. */
  fail(detail: string): void {
    if (this.#link !== undefined) {
      this.#wait(detail);
    }
  }

  #open(): void {
    this.#drop();
    this.#set({ status: 'connecting' });
    const current = () => this.#link === link;
    let early: Loss | undefined;
    let link: Link | undefined;
    try {
      link = this.transport.open({
        message: message => current() && this.#message(message),
        lost: loss => (link === undefined ? (early = loss) : current() && this.#lost(loss)),
      });
    } catch (error) {
      this.#wait(error instanceof Error ? error.message : String(error));
      return;
    }
    this.#link = link;
    this.#welcomed = this.#limit(WELCOME_MILLIS, () => this.fail('There was no welcome in time.'));
    if (early !== undefined) {
      this.#lost(early);
    }
  }

  /** Lets go of the link and of all that belongs to it. */
  #drop(): void {
    const link = this.#link;
    this.#link = undefined;
    this.#id = undefined;
    this.#suspension = new Suspension();
    this.#mustWait = false;
    this.#clear(this.#watchdog);
    this.#clear(this.#comeBack);
    this.#clear(this.#probe?.timer);
    this.#watchdog = this.#comeBack = this.#probe = undefined;
    this.#limits.forEach(timer => this.environment.clearTimer(timer));
    this.#limits.clear();
    if (this.#connectedAt !== undefined && this.environment.now() - this.#connectedAt >= STABLE_MILLIS) {
      this.#pauses.reset();
    }
    this.#connectedAt = undefined;
    if (link !== undefined) {
      link.close();
      this.events.dropped();
    }
  }

  #clear(timer: Timer | undefined): void {
    if (timer !== undefined) {
      this.environment.clearTimer(timer);
    }
  }

  #limit(millis: number, over: () => void): () => void {
    const timer = this.environment.setTimer(() => {
      this.#limits.delete(timer);
      over();
    }, millis);
    this.#limits.add(timer);
    return () => {
      this.#limits.delete(timer);
      this.environment.clearTimer(timer);
    };
  }

  #set(state: ConnectionState): void {
    this.#state = state;
    this.events.changed(state);
  }

  /** @param after what the server asked for, before the client's own pause */
  #wait(detail: string, after = 0): void {
    this.#drop();
    this.#mustWait = after > 0;
    const millis = after + this.#pauses.next();
    this.#comeBack = this.environment.setTimer(() => this.#open(), millis);
    this.#set({ status: 'waiting', detail, pauseMillis: millis });
  }

  #end(reason: EndReason, detail: string, problem?: Problem): void {
    this.#drop();
    this.#set({ status: 'ended', reason, detail, ...(problem === undefined ? {} : { problem }) });
  }

  #lost(loss: Loss): void {
    if (loss.kind === 'lost') {
      this.#lostByChance(loss.detail);
      return;
    }
    const detail = loss.problem?.detail ?? `The server answered ${loss.status}.`;
    const passes = loss.status >= 500 || loss.status < 400 || [408, 425, 429].includes(loss.status);
    if (passes) {
      const after = Math.min(loss.retryAfterMillis ?? 0, MAX_RETRY_AFTER_MILLIS);
      this.#wait(detail, after);
    } else if (loss.status === 401) {
      this.#end('unauthorized', detail, loss.problem);
    } else {
      this.#end(loss.status === 403 ? 'forbidden' : 'refused', detail, loss.problem);
    }
  }

  #lostByChance(detail: string): void {
    const planned = this.#comeBack; // the server said when to come back
    if (planned === undefined) {
      this.#wait(detail);
      return;
    }
    this.#comeBack = undefined;
    this.#drop();
    this.#comeBack = planned;
    this.#set({ status: 'waiting', detail, pauseMillis: undefined });
  }

  #message(message: ServerMessage): void {
    this.#heard = this.environment.now();
    switch (message.type) {
      case 'welcome':
        this.#welcome(message);
        break;
      case 'heartbeat':
      case 'reply':
        break;
      case 'probe':
        if (message.nonce === this.#probe?.nonce) {
          this.#clear(this.#probe.timer);
          this.#probe = undefined;
        }
        break;
      case 'rotate':
        if (this.#comeBack === undefined) {
          this.#comeBack = this.environment.setTimer(
            () => this.#open(),
            spread(message.retryMillis, this.environment.random),
          );
        }
        break;
      case 'goodbye':
        this.#end('left', 'The server said goodbye.');
        break;
      default:
        if (this.#id !== undefined) {
          this.events.message(message);
        }
    }
  }

  #welcome(welcome: Welcome): void {
    if (this.#id !== undefined) {
      this.events.dropped(); // another one over the same link: what was asked before it is not answered any more
      this.#set({ status: 'connecting' });
    }
    this.#welcomed();
    this.#id = welcome.connection;
    this.#heartbeatMillis = welcome.heartbeatMillis;
    this.#watch();
    const sessions = this.events.askAll();
    if (sessions.length === 0) {
      this.#connected();
      return;
    }
    this.ask({ type: 'reconnect', sessions }, answer => {
      if (answer === null || answer.status >= 300) {
        this.fail(answer?.problem?.detail ?? 'The sessions could not be watched again.');
        return;
      }
      this.events.reconnected(sessions, answer.result as unknown as ReconnectResult);
      if (this.#id === welcome.connection) {
        this.#connected();
      }
    });
  }

  #connected(): void {
    if (this.#link === undefined || this.#id === undefined) {
      return;
    }
    this.#connectedAt = this.environment.now();
    this.#set({ status: 'connected', connection: this.#id, transport: this.#link.kind });
    if (this.environment.page?.hidden === true) {
      this.hide(); // it came back while nobody looks
    }
  }

  #watch(): void {
    this.#clear(this.#watchdog);
    this.#watchdog = undefined;
    const silence = 2 * this.#heartbeatMillis;
    if (silence === 0) {
      return;
    }
    const left = this.#heard + silence - this.environment.now();
    if (left <= 0) {
      this.fail('Nothing was heard for too long.');
      return;
    }
    this.#watchdog = this.environment.setTimer(() => this.#watch(), left);
  }

  #nextId(): string {
    return `c${++this.#commands}`;
  }

  /**
   * Sends a command over the present link, after its welcome. The answer comes once; null after the limit; and never, if the link is gone by then.
   */
  ask(command: Command, answered: (answer: Answer) => void, limitMillis: number = ANSWER_MILLIS): void {
    const link = this.#link;
    const id = this.#id;
    if (link === undefined || id === undefined) {
      throw new Error('There is no connection to ask over');
    }
    let open = true;
    const once = (answer: Answer) => {
      const isPresent = this.#link === link && this.#id === id;
      if (open && isPresent) {
        open = false;
        cancel();
        answered(answer);
      }
    };
    const cancel = this.#limit(limitMillis, () => once(null));
    link.send({ ...command, id: this.#nextId() } as ClientMessage, once);
  }

  /** The page is hidden: tells the server, once for each link. */
  hide(): void {
    if (this.#link === undefined || this.#id === undefined || this.#suspension.isOn || !this.events.isWatching()) {
      return;
    }
    this.#link.sendLast({ type: 'suspend', id: this.#nextId() }, this.#suspension.begin());
  }

  /** The page goes to the browser's cache, where no connection lives: comes back when it is shown. */
  freeze(): void {
    if (this.#link !== undefined || this.#comeBack !== undefined) {
      this.#drop();
      this.#set({ status: 'waiting', detail: 'The page is in the browser\'s cache.', pauseMillis: undefined });
    }
  }

  /** Comes back now instead of after the pause, unless the server asked for it. */
  hurry(): void {
    if (this.#state.status === 'waiting' && !this.#mustWait) {
      this.#open();
    }
  }

  /** The page is shown again, or the network is back: a connection in doubt has a second to show that it lives. */
  show(): void {
    this.hurry();
    if (this.#id === undefined) {
      return;
    }
    if (this.#suspension.isOn) {
      const link = this.#link;
      const cancel = this.#limit(PROBE_MILLIS, () => this.reopen());
      const resume = () => {
        cancel();
        if (this.#link === link) {
          this.ask({ type: 'resume' }, answer => (answer === null || answer.status >= 300 ? this.reopen() : this.#ask()), PROBE_MILLIS);
        }
      };
      this.#suspension.end(resume, cancel);
    } else if (this.environment.now() - this.#heard > PROBE_MILLIS) {
      this.#ask();
    }
  }

  /** The browser says that it has no network: a connection has a second to show that it lives all the same. */
  doubt(): void {
    if (this.#id !== undefined && !this.#suspension.isOn) {
      this.#ask();
    }
  }

  #ask(): void {
    if (this.#probe !== undefined) {
      return;
    }
    const nonce = this.environment.newId();
    this.#probe = { nonce, timer: this.environment.setTimer(() => this.reopen(), PROBE_MILLIS) };
    this.ask({ type: 'probe', nonce }, answer => answer !== null && answer.status >= 300 && this.reopen());
  }
}
