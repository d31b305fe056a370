import { HoldfastError } from '@holdfast/client';
import type { HoldfastClient, SessionSummary } from '@holdfast/client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { isBegun } from './begun';

const PAGE = 50;
/** The list is no part of the session transport: it is asked for again after what may have changed it, and this often. */
const REFRESH_MILLIS = 20_000;
const SOON_MILLIS = 400;

export interface SessionsShown {
  readonly list: readonly SessionSummary[];
  readonly hasMore: boolean;
  readonly loaded: boolean;
  readonly unauthorized: boolean;
  more(): void;
  refresh(): void;
}

export function useSessions(client: HoldfastClient): SessionsShown {
  const [list, setList] = useState<readonly SessionSummary[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const [loaded, setLoaded] = useState(false);
  const [unauthorized, setUnauthorized] = useState(false);
  const pages = useRef(1);

  const refresh = useCallback(async () => {
    try {
      let all: SessionSummary[] = [];
      let from: string | null | undefined;
      for (let page = 0; page < pages.current && from !== null; page++) {
        const got = await client.sessions.list(from === undefined ? { limit: PAGE } : { next: from });
        all = [...all, ...got.sessions.filter(isBegun)];
        from = got.next;
      }
      setList(all);
      setNext(from ?? null);
      setLoaded(true);
      setUnauthorized(false);
    } catch (error) {
      // offline: the list stays as it is
      setUnauthorized(before => (error instanceof HoldfastError && error.problem !== undefined ? error.problem.status === 401 : before));
    }
  }, [client]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      clearTimeout(timer);
      timer = setTimeout(() => void refresh(), SOON_MILLIS);
    };
    const shown = () => document.visibilityState === 'visible' && soon();
    void refresh();
    const every = setInterval(shown, REFRESH_MILLIS);
    const ends = [client.outbox.listen(event => event.type === 'accepted' && soon()), client.listen(state => state.status === 'connected' && soon())];
    document.addEventListener('visibilitychange', shown);
    return () => {
      clearTimeout(timer);
      clearInterval(every);
      ends.forEach(end => end());
      document.removeEventListener('visibilitychange', shown);
    };
  }, [client, refresh]);

  const again = useCallback(() => void refresh(), [refresh]);
  return {
    list,
    hasMore: next !== null,
    loaded,
    unauthorized,
    more: () => {
      pages.current++;
      void refresh();
    },
    refresh: again,
  };
}
