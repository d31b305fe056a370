import type { HoldfastClient } from '@holdfast/client';
import { createContext, use, useEffect, useSyncExternalStore } from 'react';
import type { ResumeLog, Resumed } from './resume-log';

export const ResumeContext = createContext<ResumeLog | undefined>(undefined);

export function useResumeLog(): ResumeLog {
  const log = use(ResumeContext);
  if (log === undefined) {
    throw new Error('There is no log of resumes around this component');
  }
  return log;
}

export function useResumes(): readonly Resumed[] {
  const log = useResumeLog();
  return useSyncExternalStore(log.subscribe, log.entries);
}

/** Sessions that the console follows at once. */
const MAX_FOLLOWED = 5;

/** Follows sessions for the log, so that it tells what a lost connection does to their turns. Returns those that it follows. */
export function useFollowed(client: HoldfastClient, sessions: readonly string[]): readonly string[] {
  const log = useResumeLog();
  const followed = [...new Set(sessions)].slice(0, MAX_FOLLOWED);
  const names = JSON.stringify(followed);
  useEffect(() => {
    const ends = (JSON.parse(names) as string[]).map(session => follow(client, log, session));
    return () => ends.forEach(end => end());
  }, [client, log, names]);
  return followed;
}

/** Tells the log what comes of a session. Returns what ends it. */
export function follow(client: HoldfastClient, log: ResumeLog, session: string): () => void {
  const view = client.watch(session);
  view.subscribe(update => {
    if (update.type === 'events') {
      log.events(session, update.events);
    } else if (update.type === 'attached' && update.answer.answer === 'snapshot') {
      log.forget(session);
    }
  });
  return () => view.close();
}

/** Tells the log when the connection is lost. Returns what ends it. */
export function followConnection(client: HoldfastClient, log: ResumeLog): () => void {
  return client.listen(state => {
    if (state.status === 'waiting') {
      log.lost(state.detail);
    } else if (state.status === 'connecting') {
      log.lost('A new connection was opened.');
    }
  });
}
