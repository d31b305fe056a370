import type { SessionSummary } from '@holdfast/client';

export interface Group {
  readonly label: string;
  readonly sessions: readonly SessionSummary[];
}

const DAY_MILLIS = 24 * 60 * 60 * 1000;

/** Puts sessions, latest first, below the day of their last activity. */
export function groupByDay(sessions: readonly SessionSummary[], now: Date): Group[] {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const groups = new Map<string, SessionSummary[]>();
  for (const session of sessions) {
    const label = labelOf(Date.parse(session.updatedAt), today);
    groups.set(label, [...(groups.get(label) ?? []), session]);
  }
  return [...groups].map(([label, members]) => ({ label, sessions: members }));
}

function labelOf(at: number, today: number): string {
  if (at >= today) {
    return 'Today';
  }
  if (at >= today - DAY_MILLIS) {
    return 'Yesterday';
  }
  return at >= today - 7 * DAY_MILLIS ? 'The last seven days' : 'Before';
}
