import { HoldfastError } from '@holdfast/client';
import type { HoldfastClient, SearchHit, SessionSummary } from '@holdfast/client';
import { useEffect, useState } from 'react';

const TYPING_MILLIS = 150;
const TITLES = 5;
const HITS = 20;

/** What was found, and whether there may be more. */
export interface Found {
  readonly text: string;
  readonly sessions: readonly SessionSummary[];
  readonly nextSessions: string | null;
  readonly hits: readonly SearchHit[];
  readonly nextHits: string | null;
}

const NOTHING: Found = { text: '', sessions: [], nextSessions: null, hits: [], nextHits: null };

export interface Search {
  readonly found: Found;
  readonly fault: string | null;
  moreSessions(): void;
  moreHits(): void;
}

/** Conversations found by their titles, and messages by their words, a moment after the last key. */
export function useSearch(client: HoldfastClient, text: string): Search {
  const [found, setFound] = useState(NOTHING);
  const [fault, setFault] = useState<string | null>(null);
  const failed = (error: unknown) => setFault(error instanceof HoldfastError ? error.message : String(error));
  useEffect(() => {
    const words = text.trim();
    if (words === '') {
      setFound(NOTHING);
      setFault(null);
      return undefined;
    }
    const abort = new AbortController();
    const { signal } = abort;
    const timer = setTimeout(() => {
      Promise.all([client.sessions.list({ title: words, limit: TITLES, signal }), client.search(words, { limit: HITS, signal })]).then(
        ([titles, messages]) => {
          setFault(null);
          setFound({ text: words, sessions: titles.sessions, nextSessions: titles.next, hits: messages.hits, nextHits: messages.next });
        },
        error => signal.aborted || failed(error),
      );
    }, TYPING_MILLIS);
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [client, text]);
  /** Added where it still belongs to what is shown. */
  const add = (page: Promise<(shown: Found) => Found>) =>
    void page.then(more => setFound(shown => (shown.text === found.text ? more(shown) : shown)), failed);
  return {
    found,
    fault,
    moreSessions: () =>
      found.nextSessions !== null &&
      add(client.sessions.list({ next: found.nextSessions }).then(page => shown => (shown.nextSessions === found.nextSessions ? { ...shown, sessions: [...shown.sessions, ...page.sessions], nextSessions: page.next } : shown))),
    moreHits: () =>
      found.nextHits !== null &&
      add(client.search(found.text, { limit: HITS, cursor: found.nextHits }).then(page => shown => (shown.nextHits === found.nextHits ? { ...shown, hits: [...shown.hits, ...page.hits], nextHits: page.next } : shown))),
  };
}
