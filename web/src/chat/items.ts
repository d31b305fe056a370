import { content } from '@holdfast/client';
import type { Outcome, OutboxEntry, Overlay, PreviewMessage, SessionState, StoredMessage, TurnView } from '@holdfast/client';

/** A line of the conversation. */
export type Item =
  /** A message: stored, or (with its turn) in the making. */
  | { readonly kind: 'message'; readonly key: string; readonly message: PreviewMessage; readonly createdAt: string | null; readonly turn: TurnView | null }
  /** What is above is read by the model as this summary. */
  | { readonly kind: 'fold'; readonly key: string; readonly overlay: Overlay }
  /** A message of the user that has no receipt yet. */
  | { readonly kind: 'sending'; readonly key: string; readonly entry: OutboxEntry }
  /** A turn that shows nothing yet. */
  | { readonly kind: 'turn'; readonly key: string; readonly turn: TurnView }
  /** How the last turn ended, where no message tells it. */
  | { readonly kind: 'outcome'; readonly key: string; readonly outcome: Outcome; readonly asked: PreviewMessage | null };

export interface Shown {
  /** Stored messages, root first. */
  readonly messages: readonly StoredMessage[];
  /** The turns that run and the last outcome; undefined where an older branch is shown. */
  readonly live: Pick<SessionState, 'turns' | 'outcome'> | undefined;
  readonly outbox: readonly OutboxEntry[];
  /** Summaries by the message behind which each ends. */
  readonly folds: ReadonlyMap<string, Overlay>;
  /** Answers that are being written once more, by the turn that does it: they give their place up. */
  readonly replaced: ReadonlyMap<string, string>;
}

const CONTENTS = new WeakMap<StoredMessage, PreviewMessage>();

/** The same object for the same stored message, so that nothing is drawn twice. */
function contentOf(message: StoredMessage): PreviewMessage {
  let known = CONTENTS.get(message);
  if (known === undefined) {
    known = content(message);
    CONTENTS.set(message, known);
  }
  return known;
}

export function itemsOf(shown: Shown): Item[] {
  const turns = shown.live?.turns ?? [];
  const stored = upToReplaced(shown.messages, turns, shown.replaced);
  const items: Item[] = stored.map(message => ({
    kind: 'message',
    key: message.id,
    message: contentOf(message),
    createdAt: message.createdAt,
    turn: null,
  }));
  const known = new Set(items.map(item => item.key));
  for (const turn of turns) {
    const place = items.findIndex(item => item.kind === 'message' && item.key === turn.messageId);
    if (turn.message !== null) {
      const item: Item = { kind: 'message', key: turn.message.id, message: turn.message, createdAt: null, turn };
      if (place < 0) {
        items.splice(placeOf(items, turns), 0, item);
      } else {
        items[place] = item;
      }
    } else if (place < 0) {
      items.push({ kind: 'turn', key: `turn ${turn.id}`, turn });
    } else {
      items[place] = { ...(items[place] as Extract<Item, { kind: 'message' }>), turn };
    }
  }
  for (const [to, overlay] of shown.folds) {
    const place = items.findIndex(item => item.key === to);
    if (place >= 0) {
      items.splice(place + 1, 0, { kind: 'fold', key: `fold ${overlay.id}`, overlay });
    }
  }
  for (const entry of shown.outbox) {
    const id = entry.turn.message?.id;
    if (entry.turn.message !== undefined && (id === undefined || !known.has(id))) {
      items.push({ kind: 'sending', key: `outbox ${entry.key}`, entry });
    }
  }
  const outcome = shown.live?.outcome ?? null;
  const isUntold = outcome !== null && outcome.outcome !== 'completed' && (outcome.messageId === null || !known.has(outcome.messageId));
  if (isUntold && turns.length === 0) {
    const asked = items.findLast(item => item.kind === 'message' && item.message.role === 'user');
    items.push({ kind: 'outcome', key: `outcome ${outcome.turn}`, outcome, asked: asked?.kind === 'message' ? asked.message : null });
  }
  return items;
}

/** An answer in the making stands before the messages of turns that wait for it, which this client sends under their turns' ids. */
function placeOf(items: readonly Item[], turns: readonly TurnView[]): number {
  const queued = new Set(turns.filter(turn => turn.state === 'accepted').map(turn => turn.id));
  const first = items.findIndex(item => queued.has(item.key));
  return first < 0 ? items.length : first;
}

function upToReplaced(
  messages: readonly StoredMessage[],
  turns: readonly TurnView[],
  replaced: ReadonlyMap<string, string>,
): readonly StoredMessage[] {
  for (const turn of turns) {
    const id = replaced.get(turn.id);
    const place = id === undefined ? -1 : messages.findIndex(message => message.id === id);
    if (place >= 0) {
      return messages.slice(0, place);
    }
  }
  return messages;
}

/** How a stored message came to its end, as the server wrote it beside it. */
export function statusOf(message: PreviewMessage): { status: string; reason: string | null } | undefined {
  const told = (message.metadata as { holdfast?: { status?: unknown; reason?: unknown } } | undefined)?.holdfast;
  return typeof told?.status === 'string' ? { status: told.status, reason: typeof told.reason === 'string' ? told.reason : null } : undefined;
}

/** The text of a message: what is copied, and what is edited. */
export function textOf(message: PreviewMessage): string {
  return message.parts
    .filter(part => part.type === 'text')
    .map(part => String(part['text']))
    .join('\n\n');
}
