import { HoldfastError } from '@holdfast/client';
import type { HoldfastClient, Overlay, Parting, SessionState, StoredMessage } from '@holdfast/client';
import { useCallback, useEffect, useState } from 'react';

const PAGE = 100;
/** Changes that come close together are one look at the branches. */
const LOOK_MILLIS = 300;
const MAX_LOOKED_AT = 200;

/** As far up a branch is looked through for a message that is to be shown. */
const MAX_PAGES = 50;

/** A stretch of history that was asked for: older messages, or another branch. */
interface Loaded {
  readonly session: string | null;
  readonly anchor: string | null;
  /** Root first. */
  readonly messages: readonly StoredMessage[];
  readonly fault: string | null;
}

const NOTHING: Loaded = { session: null, anchor: null, messages: [], fault: null };

export interface History {
  /** What is shown, root first. */
  readonly messages: readonly StoredMessage[];
  /** The end of the branch that is shown; null for the one that is live. */
  readonly leaf: string | null;
  readonly hasOlder: boolean;
  readonly loading: boolean;
  /** The branch that was asked for is, or has become, the one that is live. */
  readonly isLive: boolean;
  /** The branch that was asked for cannot be had; `fault` says why. */
  readonly isFailed: boolean;
  /** Nothing of the branch is here yet. */
  readonly isAwaited: boolean;
  readonly fault: string | null;
  loadOlder(): void;
}

/**
 * The messages of a session: those that are watched, older ones as they are asked for, or another branch.
 *
 * @param leaf a message whose branch is shown, down to its newest end; null for the one that is live
 * @param target a message that is to be among them, on whatever branch it is
 */
export function useHistory(client: HoldfastClient, session: string | null, state: SessionState | undefined, leaf: string | null, target: string | null): History {
  const live = state?.messages ?? [];
  const isHere = target === null || state?.cursor == null || live.some(message => message.id === target);
  const anchor = leaf ?? (isHere ? null : target);
  const [loaded, setLoaded] = useState(NOTHING);
  const [loading, setLoading] = useState(false);
  const isPresent = loaded.session === session && (anchor === null || loaded.anchor === anchor); // what was another branch may be the older part of the live one by now
  const { messages: own, fault } = isPresent ? loaded : NOTHING;

  useEffect(() => {
    if (session === null || anchor === null) {
      setLoaded(before => (before.session === session ? { ...before, anchor: null, fault: null } : { ...NOTHING, session }));
      return undefined;
    }
    setLoaded({ ...NOTHING, session, anchor });
    const abort = new AbortController();
    branchThrough(client, session, anchor, target ?? anchor, abort.signal).then(
      messages => setLoaded({ session, anchor, messages, fault: null }),
      error => abort.signal.aborted || setLoaded({ ...NOTHING, session, anchor, fault: wordsOf(error) }),
    );
    return () => abort.abort();
  }, [client, session, anchor, target]);

  const isFailed = anchor !== null && fault !== null && own.length === 0;
  const end = own.at(-1)?.id;
  const isLive = end !== undefined && (live[0]?.parentId === end || live.some(message => message.id === end));
  const isFollowed = anchor === null || isFailed || isLive;
  const older = isFollowed ? follows(own, live) : [];
  const messages = !isFollowed ? own : older.length === 0 ? live : [...older, ...live];
  const first = messages[0];
  const before = first?.parentId ?? null;

  const loadOlder = () => {
    if (session !== null && before !== null) {
      const ask = { leaf: before, limit: PAGE };
      const add = (fields: (shown: Loaded) => Partial<Loaded>) =>
        setLoaded(shown => (shown.session === session && (anchor === null || shown.anchor === anchor) ? { ...shown, ...fields(shown) } : shown));
      setLoading(true);
      client.sessions
        .messages(session, ask)
        .then(
          page => add(() => ({ messages: [...page.messages.toReversed(), ...(isFollowed ? older : own)], fault: null })),
          error => add(() => ({ fault: wordsOf(error) })),
        )
        .finally(() => setLoading(false));
    }
  };
  return {
    messages,
    leaf: isFollowed ? null : (end ?? anchor),
    hasOlder: before !== null,
    loading,
    isLive: anchor !== null && isLive,
    isFailed,
    isAwaited: !isFollowed && own.length === 0,
    fault,
    loadOlder,
  };
}

/** The newest conversation through a message, root first, as far up as another message of it. */
async function branchThrough(client: HoldfastClient, session: string, through: string, upTo: string, signal: AbortSignal): Promise<StoredMessage[]> {
  let page = await client.sessions.messages(session, { through, limit: PAGE, signal });
  const found = [...page.messages];
  for (let pages = 1; page.next !== null && pages < MAX_PAGES && !found.some(message => message.id === upTo); pages++) {
    page = await client.sessions.messages(session, { next: page.next, signal });
    found.push(...page.messages);
  }
  return found.reverse();
}

function wordsOf(error: unknown): string {
  return error instanceof HoldfastError ? error.message : String(error);
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
