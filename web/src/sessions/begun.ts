import type { SessionSummary } from '@holdfast/client';

/**
 * Whether something was ever said in a session. One that was made for the first file of a message that is not sent yet has no title, and its time stands still
 * since it was created.
 */
export function isBegun(session: SessionSummary): boolean {
  return session.title !== null || session.updatedAt !== session.createdAt;
}
