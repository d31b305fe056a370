import type { OutboxEntry, SessionState } from '@holdfast/client';

/** Whether there is no such conversation: it was deleted, or never was. One whose first message is on its way is about to be. */
export function isGone(state: SessionState | undefined, outbox: readonly OutboxEntry[]): boolean {
  const isMissing = state?.status === 'detached' && (state.reason === 'not-found' || state.reason === 'deleted');
  return isMissing && outbox.every(entry => entry.session !== state.session);
}
