import { MAX_PASSED_CURSORS } from './limits.js';
import type { Attached, Driver, Events, Problem, StoredMessage } from './protocol.js';
import { NOTHING, attach, reduce } from './reduce.js';
import type { SessionData } from './reduce.js';
import type { SessionListener, SessionState, SessionUpdate } from './session-state.js';
import { Signal } from './signal.js';

/** What became of a frame. `gap`: it continues something that this client does not have, or a listener did not accept it. */
export type Applied = 'applied' | 'passed' | 'gap';

/**
 * A session as this client has it. A frame is applied as a whole or not at all: what it makes is worked out first, the listeners are asked, and only then does it
 * hold and the cursor move.
 */
export class Session {
  #data: SessionData = NOTHING;
  #state: SessionState;
  /** Cursors up to the present one, newest last; a frame that leads to one of them was applied before. */
  #passed: string[] = [];
  readonly #listeners = new Set<SessionListener>();
  readonly applied: Signal<SessionUpdate>;

  constructor(
    readonly id: string,
    private readonly report: (error: unknown) => void,
  ) {
    this.applied = new Signal(report);
    this.#state = this.#next(NOTHING, { status: 'waiting', cursor: null });
  }

  get state(): SessionState {
    return this.#state;
  }

  get cursor(): string | null {
    return this.#state.cursor;
  }

  /** Messages that are to be fetched. */
  get missing(): ReadonlySet<string> {
    return this.#data.missing;
  }

  message(id: string): StoredMessage | undefined {
    return this.#data.tree.get(id);
  }

  addListener(listener: SessionListener): () => void {
    const own: SessionListener = update => listener(update);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  attached(answer: Attached): Applied {
    const data = attach(this.#data, answer);
    const state = this.#next(data, { status: 'attached', cursor: answer.cursor });
    return this.#accept({ type: 'attached', answer, state }, data, [answer.cursor]);
  }

  events(frame: Events): Applied {
    if (frame.from !== this.cursor) {
      return this.#passed.includes(frame.cursor) ? 'passed' : 'gap';
    }
    const data = reduce(this.#data, frame.events);
    const state = this.#next(data, { status: 'attached', cursor: frame.cursor });
    const passed = [...this.#passed, frame.cursor].slice(-MAX_PASSED_CURSORS);
    return this.#accept({ type: 'events', events: frame.events, frame, state }, data, passed);
  }

  driver(driver: Driver): void {
    const data = { ...this.#data, driver: driver.driver, displaced: driver.displaced ?? false };
    const state = this.#next(data, {});
    this.#accept({ type: 'driver', driver, state }, data, this.#passed);
  }

  detached(reason: NonNullable<SessionState['reason']>, problem?: Problem): void {
    const ended = problem === undefined ? { status: 'detached' as const, reason } : { status: 'detached' as const, reason, problem };
    const state = this.#next(this.#data, ended);
    this.#accept({ type: 'detached', state }, this.#data, this.#passed);
  }

  /** Asked for anew, after it was detached. */
  waiting(): void {
    const state = this.#next(this.#data, { status: 'waiting' });
    this.#accept({ type: 'changed', state }, this.#data, this.#passed);
  }

  /** A message that was too large for its event. */
  fetched(message: StoredMessage): void {
    if (!this.#data.missing.has(message.id)) {
      return; // a newer one came meanwhile
    }
    const missing = new Set(this.#data.missing);
    missing.delete(message.id);
    const data = { ...this.#data, tree: this.#data.tree.updated(message), missing };
    this.#accept({ type: 'changed', state: this.#next(data, {}) }, data, this.#passed);
  }

  #next(data: SessionData, fields: Partial<SessionState>): SessionState {
    const kept = this.#state as SessionState | undefined;
    const { reason: _reason, problem: _problem, ...before } = kept ?? {};
    return {
      status: 'waiting',
      cursor: null,
      ...before,
      session: this.id,
      messages: data.tree.path,
      truncated: data.tree.truncated,
      turns: [...data.turns.values()].map(turn => turn.view),
      outcome: data.outcome,
      driver: data.driver,
      displaced: data.displaced,
      mode: data.mode,
      closed: data.closed,
      boot: data.boot,
      ...fields,
    };
  }

  /** A listener can refuse what can be sent again; all else holds whatever it does. */
  #accept(update: SessionUpdate, data: SessionData, passed: string[]): Applied {
    const isRefusable = update.type === 'events' || update.type === 'attached';
    for (const listener of [...this.#listeners]) {
      try {
        listener(update);
      } catch (error) {
        this.report(error);
        if (isRefusable) {
          return 'gap';
        }
      }
    }
    this.#data = data;
    this.#state = update.state;
    this.#passed = passed;
    this.applied.emit(update);
    return 'applied';
  }
}
