import { MAX_MESSAGES } from './limits.js';
import type { StoredMessage } from './protocol.js';

/** The messages of a session that are known, and the path to the one that was added last. Never changed: each change gives another tree. */
export class MessageTree {
  #path: readonly StoredMessage[] | undefined;

  private constructor(
    private readonly byId: ReadonlyMap<string, StoredMessage>,
    readonly leaf: string | null,
    /** Whether there are older messages than those that are known. */
    readonly truncated: boolean,
  ) {}

  static readonly EMPTY = new MessageTree(new Map(), null, false);

  /** Of a snapshot: a path, root first. */
  static of(messages: readonly StoredMessage[], truncated: boolean): MessageTree {
    return new MessageTree(new Map(messages.map(message => [message.id, message])), messages.at(-1)?.id ?? null, truncated);
  }

  get(id: string): StoredMessage | undefined {
    return this.byId.get(id);
  }

  /** The conversation as it stands, root first. */
  get path(): readonly StoredMessage[] {
    if (this.#path === undefined) {
      const path: StoredMessage[] = [];
      const seen = new Set<string>();
      for (let id = this.leaf; id !== null && !seen.has(id); ) {
        const message = this.byId.get(id);
        if (message === undefined) {
          break;
        }
        seen.add(id);
        path.push(message);
        id = message.parentId;
      }
      this.#path = path.reverse();
    }
    return this.#path;
  }

  /** With one that was added, and is the leaf now. */
  added(message: StoredMessage): MessageTree {
    const byId = new Map(this.byId).set(message.id, message);
    const tree = new MessageTree(byId, message.id, this.truncated);
    return byId.size > MAX_MESSAGES ? MessageTree.of(tree.path.slice(-Math.ceil(MAX_MESSAGES / 2)), true) : tree;
  }

  /**
   * With another content, or another place, of one. A message that waited in the queue moves below the answer that came before it: the conversation
   * then ends where it ended before.
   */
  updated(message: StoredMessage): MessageTree {
    const byId = new Map(this.byId).set(message.id, message);
    const leaf = this.leaf !== null && message.parentId === this.leaf ? endBelow(byId, message.id) : (this.leaf ?? message.id);
    return new MessageTree(byId, leaf, this.truncated);
  }

  deleted(id: string): MessageTree {
    const byId = new Map(this.byId);
    byId.delete(id);
    const leaf = this.leaf === id ? ([...byId.keys()].at(-1) ?? null) : this.leaf;
    return new MessageTree(byId, leaf, this.truncated);
  }
}

/** The end of the conversation that goes on below a message, along what was added last. */
function endBelow(byId: ReadonlyMap<string, StoredMessage>, id: string): string {
  const last = new Map<string, string>();
  byId.forEach(message => message.parentId !== null && last.set(message.parentId, message.id));
  const seen = new Set<string>();
  let end = id;
  for (let next: string | undefined = id; next !== undefined && !seen.has(next); next = last.get(next)) {
    seen.add(next);
    end = next;
  }
  return end;
}
