import type { StreamFigures } from '@holdfast/client';

/** The readers of a stream that are not this page, which reads along where it follows the stream's session. */
export function othersOf(stream: Pick<StreamFigures, 'sessionId' | 'readers'>, followed: readonly string[]): number {
  const own = stream.sessionId !== null && followed.includes(stream.sessionId) ? 1 : 0;
  return Math.max(0, stream.readers - own);
}
