import type { HoldfastClient, PreviewMessage, SessionState, SessionView } from '@holdfast/client';
import { useMemo, useSyncExternalStore } from 'react';
import { onNextFrame } from './frame';

export interface LiveSession {
  /** Undefined until the session is watched. */
  readonly state: SessionState | undefined;
  /** The conversation: stored messages, and those in progress. */
  readonly messages: readonly PreviewMessage[];
  readonly view: SessionView | undefined;
}

const NOTHING: LiveSession = { state: undefined, messages: [], view: undefined };

/** Watches a session while the component is shown. It is drawn once a frame at most, however fast its chunks come: 20,000 of them that are replayed are some frames. */
export function useSession(client: HoldfastClient, session: string | null): LiveSession {
  const store = useMemo(() => new Store(client, session), [client, session]);
  return useSyncExternalStore(store.subscribe, store.shown);
}

class Store {
  #shown: LiveSession = NOTHING;

  constructor(
    private readonly client: HoldfastClient,
    private readonly session: string | null,
  ) {}

  readonly subscribe = (changed: () => void): (() => void) => {
    if (this.session === null) {
      return () => undefined;
    }
    const view = this.client.watch(this.session);
    const show = onNextFrame(() => {
      this.#shown = { state: view.state, messages: view.messages, view };
      changed();
    });
    view.subscribe(show.ask);
    show.ask();
    return () => {
      show.cancel();
      view.close();
    };
  };

  readonly shown = (): LiveSession => this.#shown;
}
