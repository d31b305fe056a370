import type { HoldfastClient } from '@holdfast/client';
import { createContext, use, useSyncExternalStore } from 'react';
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
