import { Backoff } from './backoff.js';
import type { Connection, WatchedSession } from './connection.js';
import type { Environment, Timer } from './environment.js';
import { HoldfastError } from './errors.js';
import { ANSWER_MILLIS, FIRST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS, MAX_WATCHED } from './limits.js';
import type { Attached, Detached, Events, Problem, ReconnectResult, ServerMessage } from './protocol.js';
import { Session } from './session.js';
import type { Answer } from './transport.js';

/** Nothing comes of such a session any more. Of another reason the server could not tell it now. */
const FINAL = new Set<string>(['deleted', 'not-found', 'not-authorized']);

/**
 * How a session stands on the present link.
 *
 * - `new`: it was not asked for yet.
 * - `asked`: its `attached` is awaited; events that come before it belong to what was before, and are dropped.
 * - `attached`: events are applied.
 * - `pausing`: it will be asked for again after a pause.
 * - `leaving`: nobody needs it any more, or somebody does again; the end of what was asked for is awaited, which comes down behind all that belongs to it.
 * - `detached`: nothing more comes, and it is not asked for by itself.
 */
type Phase = 'new' | 'asked' | 'attached' | 'pausing' | 'leaving' | 'detached';

interface Watch {
  readonly session: Session;
  readonly pauses: Backoff;
  holders: number;
  phase: Phase;
  /** Whether the question is not answered yet. Commands over SSE may overtake one another, so that nothing else is said about the session before. */
  open: boolean;
  timer: Timer | undefined;
  /** How often in a row it had to be asked for again, without a frame that was applied. */
  gaps: number;
  /** Whether a receipt came since it was asked for: the session exists, whatever an older answer says. */
  exists: boolean;
}

/** The sessions that are watched, each with its cursor; at most one question per session is under way. */
export class Watches {
  readonly #watches = new Map<string, Watch>();
  connection!: Connection;

  constructor(
    private readonly environment: Environment,
    private readonly onFrame: (session: Session) => void,
  ) {}

  /** Watches a session, or goes on watching it for one more holder. */
  add(id: string): Session {
    if (typeof id !== 'string' || id === '') {
      throw new TypeError('A session has an id of 1 to 256 bytes.');
    }
    const known = this.#watches.get(id);
    if (known !== undefined) {
      known.holders++;
      return known.session;
    }
    if (this.#watches.size >= MAX_WATCHED) {
      throw new HoldfastError('full', `One client watches at most ${MAX_WATCHED} sessions. Close the views that are not shown any more.`);
    }
    const watch: Watch = {
      session: new Session(id, error => this.environment.report(error)),
      pauses: new Backoff(FIRST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS, this.environment.random),
      holders: 1,
      phase: 'new',
      open: false,
      timer: undefined,
      gaps: 0,
      exists: false,
    };
    this.#watches.set(id, watch);
    this.#askIfConnected(watch);
    return watch.session;
  }

  /** One holder less; the last one ends the watch. */
  remove(id: string): void {
    const watch = this.#watches.get(id);
    if (watch !== undefined && --watch.holders === 0) {
      this.#leave(watch);
    }
  }

  #leave(watch: Watch): void {
    if (watch.phase === 'new' || watch.phase === 'detached') {
      this.#forget(watch);
    } else if (watch.phase !== 'leaving' && !watch.open) {
      this.#clear(watch);
      watch.phase = 'leaving';
      this.connection.ask({ type: 'unwatch', session: watch.session.id }, answer => this.#left(watch, answer));
    }
  }

  #left(watch: Watch, answer: Answer): void {
    if (watch.phase !== 'leaving') {
      return; // its end came before the answer
    }
    if (answer === null || answer.status >= 300) {
      this.connection.fail('It is not known whether a session is still watched.');
    } else {
      this.#expect(watch);
    }
  }

  #forget(watch: Watch): void {
    this.#clear(watch);
    watch.phase = 'detached'; // an answer that still comes changes nothing
    if (this.#watches.get(watch.session.id) === watch) {
      this.#watches.delete(watch.session.id);
    }
  }

  get(id: string): Session | undefined {
    return this.#watches.get(id)?.session;
  }

  get sessions(): Session[] {
    return [...this.#watches.values()].map(watch => watch.session);
  }

  /** Asks again for one that was detached. */
  again(id: string): void {
    const watch = this.#watches.get(id);
    if (watch?.phase === 'detached') {
      watch.phase = 'new';
      watch.session.waiting();
      this.#askIfConnected(watch);
    }
  }

  /** The server has this session: a receipt says so. */
  confirm(id: string): void {
    const watch = this.#watches.get(id);
    if (watch !== undefined) {
      watch.exists = true;
      this.again(id);
    }
  }

  isWatching(): boolean {
    return [...this.#watches.values()].some(watch => watch.holders > 0 && watch.phase !== 'detached');
  }

  /** For `reconnect`, which is sent now: all that are watched now, with the cursors of now. */
  askAll(): WatchedSession[] {
    const list: WatchedSession[] = [];
    for (const watch of this.#watches.values()) {
      if (watch.phase !== 'detached') {
        list.push(this.#question(watch));
      }
    }
    return list;
  }

  #question(watch: Watch): WatchedSession {
    this.#clear(watch);
    watch.phase = 'asked';
    watch.open = true;
    watch.exists = false;
    const cursor = watch.session.cursor;
    return { session: watch.session.id, ...(cursor === null ? {} : { cursor }) };
  }

  /** What was asked by `reconnect` is answered. */
  reconnected(asked: WatchedSession[], result: ReconnectResult): void {
    const answers = new Map((result.sessions ?? []).map(each => [each.session, each]));
    for (const { session } of asked) {
      const watch = this.#watches.get(session);
      const answer = answers.get(session);
      if (watch !== undefined) {
        watch.open = false;
        if (answer?.attached === true) {
          this.#granted(watch);
        } else {
          this.#refused(watch, answer?.problem);
        }
      }
    }
  }

  /** Everything is asked for that was not by `reconnect`. */
  connected(): void {
    this.#watches.forEach(watch => this.#askIfConnected(watch));
  }

  /** The link is gone, and what was asked over it. */
  dropped(): void {
    for (const watch of [...this.#watches.values()]) {
      this.#clear(watch);
      watch.open = false;
      if (watch.holders === 0) {
        this.#forget(watch);
      } else if (watch.phase !== 'detached') {
        watch.phase = 'new';
      }
    }
  }

  message(message: ServerMessage): void {
    switch (message.type) {
      case 'attached':
        this.#attached(message);
        break;
      case 'events':
        this.#events(message);
        break;
      case 'detached':
        this.#detached(message);
        break;
      case 'driver':
        this.#watches.get(message.session)?.session.driver(message);
        break;
    }
  }

  #askIfConnected(watch: Watch): void {
    if (this.connection.isConnected && watch.phase === 'new') {
      this.connection.ask({ type: 'watch', ...this.#question(watch) }, answer => this.#answered(watch, answer));
    }
  }

  #answered(watch: Watch, answer: Answer): void {
    watch.open = false;
    if (answer === null || answer.status >= 500) {
      this.connection.fail('A session could not be watched.');
    } else if (answer.status >= 300) {
      this.#refused(watch, answer.problem);
    } else {
      this.#granted(watch);
    }
  }

  #granted(watch: Watch): void {
    if (watch.holders === 0) {
      this.#leave(watch);
    } else if (watch.phase === 'asked') {
      this.#expect(watch);
    }
  }

  /** What was granted comes soon, or the connection lost it. */
  #expect(watch: Watch): void {
    this.#clear(watch);
    watch.timer = this.environment.setTimer(() => {
      watch.timer = undefined;
      this.connection.fail('What was granted did not come.');
    }, ANSWER_MILLIS);
  }

  #attached(answer: Attached): void {
    const watch = this.#watches.get(answer.session);
    const isUnasked = watch?.phase === 'attached' || watch?.phase === 'pausing';
    if (watch === undefined || watch.phase === 'leaving' || (isUnasked && answer.answer === 'ok')) {
      return; // of no use, or seen already; a snapshot comes unasked where the connection fell behind
    }
    this.#clear(watch);
    if (watch.session.attached(answer) === 'applied') {
      watch.phase = 'attached';
      this.onFrame(watch.session);
    } else {
      this.#pause(watch);
    }
  }

  #events(frame: Events): void {
    const watch = this.#watches.get(frame.session);
    if (watch?.phase !== 'attached') {
      return;
    }
    const applied = watch.session.events(frame);
    if (applied === 'applied') {
      watch.pauses.reset();
      watch.gaps = 0;
      this.onFrame(watch.session);
    } else if (applied === 'gap') {
      this.#pause(watch);
    }
  }

  /** Asks for the session again from its cursor: at once, and later each time if that does not help. */
  #pause(watch: Watch): void {
    this.#clear(watch);
    watch.phase = 'pausing';
    const ask = () => {
      watch.timer = undefined;
      watch.phase = 'new';
      this.#askIfConnected(watch);
    };
    if (watch.gaps++ === 0 && this.connection.isConnected) {
      ask();
    } else {
      watch.timer = this.environment.setTimer(ask, watch.pauses.next());
    }
  }

  #refused(watch: Watch, problem: Problem | undefined): void {
    if (watch.holders === 0) {
      this.#forget(watch);
    } else if (watch.phase === 'asked') {
      const status = problem?.status ?? 500;
      if (status >= 500 || status === 429) {
        watch.gaps++; // not at once
        this.#pause(watch);
      } else {
        this.#end(watch, status === 404 ? 'not-found' : status === 403 ? 'not-authorized' : 'refused', problem);
      }
    }
  }

  #detached(message: Detached): void {
    const watch = this.#watches.get(message.session);
    if (watch === undefined) {
      return;
    }
    if (watch.holders === 0) {
      this.#forget(watch);
    } else if (watch.phase === 'leaving') {
      this.#clear(watch);
      watch.phase = 'new'; // somebody needs it again
      this.#askIfConnected(watch);
    } else if (FINAL.has(message.reason)) {
      this.#end(watch, message.reason, message.problem);
    } else if (message.reason !== 'unwatched') {
      watch.gaps++;
      this.#pause(watch);
    }
  }

  #end(watch: Watch, reason: Detached['reason'] | 'refused', problem: Problem | undefined): void {
    if (watch.phase === 'detached') {
      return;
    }
    this.#clear(watch);
    if (reason === 'not-found' && watch.exists) {
      watch.phase = 'new'; // made since it was asked for
      this.#askIfConnected(watch);
      return;
    }
    watch.phase = 'detached';
    watch.session.detached(reason, problem);
  }

  #clear(watch: Watch): void {
    if (watch.timer !== undefined) {
      this.environment.clearTimer(watch.timer);
      watch.timer = undefined;
    }
  }
}
