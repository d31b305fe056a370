import type { Overlay, StoredMessage } from '@holdfast/client';

/**
 * The summaries that count in a conversation, by the message behind which each ends: the newest first, where nothing newer is in the way. One that begins above what
 * is loaded counts from the first message that is.
 */
export function foldsOf(messages: readonly StoredMessage[], newestFirst: readonly Overlay[]): ReadonlyMap<string, Overlay> {
  const places = new Map(messages.map((message, place) => [message.id, place]));
  const isCut = (messages[0]?.parentId ?? null) !== null;
  const folded: { from: number; to: number }[] = [];
  const folds = new Map<string, Overlay>();
  for (const overlay of newestFirst) {
    const to = places.get(overlay.to);
    const from = places.get(overlay.from) ?? (isCut ? 0 : undefined);
    if (to !== undefined && from !== undefined && from <= to && folded.every(other => to < other.from || other.to < from)) {
      folded.push({ from, to });
      folds.set(overlay.to, overlay);
    }
  }
  return folds;
}
