import type { HoldfastClient } from '../client.js';
import { HoldfastError } from '../errors.js';
import type { SessionView } from '../session-view.js';

/** Chats that nobody reads right now and whose sessions are watched all the same, so that the next message needs no snapshot. */
const MAX_IDLE_CHATS = 16;

interface Chat {
  readonly view: SessionView;
  readers: number;
}

/** The sessions of a page's chats. */
export class Chats {
  /** The one that was used last is the last one. */
  readonly #chats = new Map<string, Chat>();
  #keys = 0;

  constructor(private readonly client: HoldfastClient) {}

  get(id: string): SessionView {
    const known = this.#chats.get(id);
    const chat = known ?? { view: this.client.watch(id), readers: 0 };
    this.#chats.delete(id);
    this.#chats.set(id, chat);
    this.#shrink();
    return chat.view;
  }

  /** Somebody reads this chat. Returns what ends it. */
  use(id: string): () => void {
    const chat = this.#chats.get(id);
    if (chat !== undefined) {
      chat.readers++;
    }
    return () => {
      if (chat !== undefined) {
        chat.readers--;
        this.#shrink();
      }
    };
  }

  #shrink(): void {
    const idle = [...this.#chats].filter(([, chat]) => chat.readers === 0);
    for (const [id, chat] of idle.slice(0, Math.max(0, idle.length - MAX_IDLE_CHATS))) {
      this.#chats.delete(id);
      chat.view.close();
    }
  }

  /** Waits until it is known what the session has, or that it is not there. */
  async known(view: SessionView, signal: AbortSignal | undefined): Promise<void> {
    if (view.state.status !== 'waiting') {
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const settle = (finish: () => void) => {
        unsubscribe();
        unlisten();
        signal?.removeEventListener('abort', abort);
        finish();
      };
      const abort = () => settle(() => reject(new DOMException('The page does not read on.', 'AbortError')));
      const unsubscribe = view.subscribe(update => update.state.status !== 'waiting' && settle(resolve));
      const unlisten = this.client.listen(state => {
        if (state.status === 'ended') {
          settle(() => reject(new HoldfastError('closed', state.detail, state.problem)));
        }
      });
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  freshKey(): string {
    const random = crypto.getRandomValues(new Uint32Array(3));
    return `again-${Array.from(random, each => each.toString(36)).join('')}-${++this.#keys}`;
  }

  close(): void {
    this.#chats.forEach(chat => chat.view.close());
    this.#chats.clear();
  }
}
