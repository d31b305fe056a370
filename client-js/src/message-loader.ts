import { Backoff } from './backoff.js';
import type { Environment } from './environment.js';
import { FIRST_RESEND_MILLIS, LONGEST_RESEND_MILLIS, MAX_FETCHES } from './limits.js';
import type { StoredMessage } from './protocol.js';
import type { Session } from './session.js';
import type { Address } from './transport.js';

/** Fetches messages that were too large for their event, one after the other. */
export class MessageLoader {
  readonly #tries = new Map<string, number>();
  readonly #pauses: Backoff;
  #generation = 0;
  #busy = false;

  constructor(
    private readonly address: Address,
    private readonly environment: Environment,
    private readonly sessions: () => Session[],
  ) {
    this.#pauses = new Backoff(FIRST_RESEND_MILLIS, LONGEST_RESEND_MILLIS, environment.random);
  }

  /** Looks for something to fetch. */
  look(): void {
    if (this.#busy) {
      return;
    }
    for (const session of this.sessions()) {
      for (const id of session.missing) {
        const name = JSON.stringify([session.id, id]);
        const tries = this.#tries.get(name) ?? 0;
        if (tries < MAX_FETCHES) {
          this.#tries.set(name, tries + 1);
          this.#busy = true;
          void this.#fetch(session, id, name, this.#generation);
          return;
        }
      }
    }
    this.#tries.clear();
  }

  /** Nothing is told any more of what is under way. */
  stop(): void {
    this.#generation++;
    this.#busy = false;
  }

  async #fetch(session: Session, id: string, name: string, generation: number): Promise<void> {
    const message = await this.#message(session.id, id);
    if (generation !== this.#generation) {
      return;
    }
    if (message !== undefined) {
      this.#tries.delete(name);
      this.#pauses.reset();
      session.fetched(message);
      this.#busy = false;
      this.look();
    } else {
      this.environment.setTimer(() => {
        if (generation === this.#generation) {
          this.#busy = false;
          this.look();
        }
      }, this.#pauses.next());
    }
  }

  async #message(session: string, id: string): Promise<StoredMessage | undefined> {
    const api = this.address.path.replace(/\/connect$/, '');
    const path = `${api}/sessions/${encodeURIComponent(session)}/messages/${encodeURIComponent(id)}`;
    const key = this.address.key();
    try {
      const response = await this.environment.fetch(new URL(path, this.address.url).href, {
        headers: { ...this.address.headers(), ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }) },
        ...(this.address.credentials === undefined ? {} : { credentials: this.address.credentials }),
      });
      return response.ok ? ((await response.json()) as StoredMessage) : undefined;
    } catch {
      return undefined;
    }
  }
}
