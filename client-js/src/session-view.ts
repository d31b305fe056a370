import type { PreviewMessage } from './fold.js';
import type { StoredMessage } from './protocol.js';
import type { Session } from './session.js';
import { conversation } from './session-state.js';
import type { SessionListener, SessionState, SessionUpdate } from './session-state.js';

/** A session that is watched, for one holder. */
export class SessionView {
  readonly #session: Session;
  readonly #ends: (() => void)[] = [];
  #shown: { state: SessionState; messages: readonly PreviewMessage[] } | undefined;

  /** @internal */
  constructor(
    session: Session,
    listener: SessionListener | undefined,
    unwatch: () => void,
    private readonly ask: () => void,
  ) {
    this.#session = session;
    this.#ends.push(unwatch);
    if (listener !== undefined) {
      this.#ends.push(session.addListener(listener));
    }
  }

  get id(): string {
    return this.#session.id;
  }

  /** What is known of the session. The same object until something changes. */
  get state(): SessionState {
    return this.#session.state;
  }

  /** The conversation as a page shows it: stored messages, and those in progress. The same array until something changes. */
  get messages(): readonly PreviewMessage[] {
    const state = this.state;
    if (this.#shown?.state !== state) {
      this.#shown = { state, messages: conversation(state) };
    }
    return this.#shown.messages;
  }

  /** A stored message, on whatever branch it is; undefined if it is not known here. */
  message(id: string): StoredMessage | undefined {
    return this.#session.message(id);
  }

  /** Is told of every change, after it holds. What it throws is reported and changes nothing. Returns what ends it. */
  subscribe(subscriber: (update: SessionUpdate) => void): () => void {
    const end = this.#session.applied.listen(subscriber);
    this.#ends.push(end);
    return end;
  }

  /** Asks for the session again, after it was detached. */
  rewatch(): void {
    this.ask();
  }

  /** Ends it: nothing is told any more, and if it was the session's last view, the session is not watched any more. */
  close(): void {
    this.#ends.splice(0).forEach(end => end());
  }
}
