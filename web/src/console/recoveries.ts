import type { RecoveryFigures } from '@holdfast/client';

const CAUSES: Record<string, string> = {
  'process-lost': 'its process was lost',
  stalled: 'nothing came for too long',
  'agent-failed': 'its agent failed for the moment',
};

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const DAY_AND_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** Why it had to be taken up. The server keeps that until it is overcome. */
export function causeOf(recovery: Pick<RecoveryFigures, 'cause'>): string {
  return recovery.cause === null ? 'not kept once it is overcome' : (CAUSES[recovery.cause] ?? recovery.cause);
}

/** What the time is of, and the day where that is another one. */
export function whenOf(recovery: Pick<RecoveryFigures, 'status' | 'updatedAt'>, now = new Date()): string {
  const at = new Date(recovery.updatedAt);
  const shown = (at.toDateString() === now.toDateString() ? TIME : DAY_AND_TIME).format(at);
  return `${recovery.status === 'recovered' ? 'ended' : recovery.status === 'given-up' ? 'given up' : 'taken up'} ${shown}`;
}
