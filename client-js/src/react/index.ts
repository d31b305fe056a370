import { useMemo, useSyncExternalStore } from 'react';
import type { HoldfastClient } from '../client.js';
import type { ConnectionState } from '../connection.js';
import type { PreviewMessage } from '../fold.js';
import type { OutboxEntry } from '../outbox-entry.js';
import type { SessionState } from '../session-state.js';
import type { SessionView } from '../session-view.js';

/** How the client stands. */
export function useHoldfast(client: HoldfastClient): ConnectionState {
  const store = useMemo(() => ({ subscribe: (changed: () => void) => client.listen(changed), state: () => client.state }), [client]);
  return useSyncExternalStore(store.subscribe, store.state, store.state);
}

/** The user's messages on their way, and those that failed. */
export function useOutbox(client: HoldfastClient): readonly OutboxEntry[] {
  const store = useMemo(
    () => ({ subscribe: (changed: () => void) => client.outbox.listen(changed), entries: () => client.outbox.entries }),
    [client],
  );
  return useSyncExternalStore(store.subscribe, store.entries, store.entries);
}

/** What a component shows of a session. */
export interface ShownSession {
  /** Undefined until the session was watched for the first time. */
  readonly state: SessionState | undefined;
  /** The conversation: stored messages, and those in progress. */
  readonly messages: readonly PreviewMessage[];
}

const NOTHING: ShownSession = { state: undefined, messages: [] };

/** Watches a session as long as the component is shown; null for none. */
export function useSession(client: HoldfastClient, session: string | null): ShownSession {
  const store = useMemo(() => new SessionStore(client, session), [client, session]);
  return useSyncExternalStore(store.subscribe, store.shown, store.shown);
}

class SessionStore {
  #view: SessionView | undefined;
  #shown: ShownSession = NOTHING;

  constructor(
    private readonly client: HoldfastClient,
    private readonly session: string | null,
  ) {}

  readonly subscribe = (changed: () => void): (() => void) => {
    if (this.session === null) {
      return () => undefined;
    }
    const view = this.client.watch(this.session);
    this.#view = view;
    view.subscribe(changed);
    return () => {
      this.#view = undefined;
      view.close();
    };
  };

  readonly shown = (): ShownSession => {
    const view = this.#view;
    if (view !== undefined && this.#shown.state !== view.state) {
      this.#shown = { state: view.state, messages: view.messages };
    }
    return this.#shown;
  };
}
