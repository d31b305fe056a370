import { HoldfastError } from '@holdfast/client';
import type { HoldfastClient, Overlay, Parting, SessionState, StoredMessage } from '@holdfast/client';
import { useCallback, useEffect, useState } from 'react';

const PAGE = 100;
/** Changes that come close together are one look at the branches. */
const LOOK_MILLIS = 300;
const MAX_LOOKED_AT = 200;

/** A stretch of history that was asked for: older messages, or another branch. */
interface Loaded {
  /** The end of the branch; null for the one that is live. */
  readonly leaf: string | null;
  /** Root first. */
  readonly messages: readonly StoredMessage[];
  readonly next: string | null;
}

const NOTHING: Loaded = { leaf: null, messages: [], next: null };

export interface History {
  /** What is shown, root first. */
  readonly messages: readonly StoredMessage[];
  /** The end of the branch that is shown; null for the one that is live. */
  readonly leaf: string | null;
  readonly hasOlder: boolean;
  readonly loading: boolean;
  readonly fault: string | null;
  loadOlder(): void;
  /** Shows another branch; null for the one that is live. */
  show(leaf: string | null): void;
}

/** The messages of a session: those that are watched, older ones as they are asked for, or another branch. */
export function useHistory(client: HoldfastClient, session: string | null, state: SessionState | undefined): History {
  const [loaded, setLoaded] = useState(NOTHING);
  const [loading, setLoading] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    setLoaded(NOTHING);
    setFault(null);
  }, [session]);
  const live = state?.messages ?? [];
  const older = loaded.leaf === null ? follows(loaded.messages, live) : [];
  const messages = loaded.leaf === null ? (older.length === 0 ? live : [...older, ...live]) : loaded.messages;
  const first = messages[0];
  const hasOlder = first !== undefined && first.parentId !== null;

  const load = useCallback(
    (leaf: string | null, from: string, before: readonly StoredMessage[]) => {
      if (session === null) {
        return;
      }
      setLoading(true);
      setFault(null);
      client.sessions
        .messages(session, { leaf: from, limit: PAGE })
        .then(
          page => setLoaded({ leaf, messages: [...page.messages.toReversed(), ...before], next: page.next }),
          error => setFault(error instanceof HoldfastError ? error.message : String(error)),
        )
        .finally(() => setLoading(false));
    },
    [client, session],
  );
  return {
    messages,
    leaf: loaded.leaf,
    hasOlder,
    loading,
    fault,
    loadOlder: () => first?.parentId != null && load(loaded.leaf, first.parentId, loaded.leaf === null ? older : messages),
    show: leaf => (leaf === null ? setLoaded(NOTHING) : load(leaf, leaf, [])),
  };
}

/** Older messages, if the live ones still follow them. */
function follows(older: readonly StoredMessage[], live: readonly StoredMessage[]): readonly StoredMessage[] {
  const parent = live[0]?.parentId ?? null;
  const place = parent === null ? -1 : older.findIndex(message => message.id === parent);
  return older.slice(0, place + 1);
}

/** The summaries of a session, newest first; looked at when the conversation grows, and when asked to. */
export function useOverlays(client: HoldfastClient, session: string | null, leaf: string | undefined): [readonly Overlay[], () => void] {
  const [overlays, setOverlays] = useState<readonly Overlay[]>([]);
  const [looks, setLooks] = useState(0);
  useEffect(() => {
    if (session === null || leaf === undefined) {
      setOverlays([]);
      return undefined;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      client.sessions.overlays(session, { signal: abort.signal }).then(setOverlays, () => undefined); // as they were, until the server can be asked again
    }, LOOK_MILLIS);
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [client, session, leaf, looks]);
  return [overlays, useCallback(() => setLooks(count => count + 1), [])];
}

/** Where the conversation parts, by the id of each message that has others beside it. */
export function useBranches(client: HoldfastClient, session: string | null, messages: readonly StoredMessage[]): ReadonlyMap<string, Parting> {
  const [branches, setBranches] = useState<ReadonlyMap<string, Parting>>(new Map());
  const leaf = messages.at(-1)?.id;
  useEffect(() => {
    if (session === null || leaf === undefined) {
      setBranches(new Map());
      return undefined;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      client.sessions.branches(session, { leaf, limit: MAX_LOOKED_AT, signal: abort.signal }).then(
        partings => setBranches(new Map(partings.flatMap(parting => parting.messages.map(branch => [branch.id, parting] as const)))),
        () => undefined, // no arrows until the server can be asked again
      );
    }, LOOK_MILLIS);
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [client, session, leaf]);
  return branches;
}
