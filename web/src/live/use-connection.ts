import type { ConnectionState, HoldfastClient, OutboxEntry } from '@holdfast/client';
import { useMemo, useSyncExternalStore } from 'react';

export function useConnection(client: HoldfastClient): ConnectionState {
  const subscribe = useMemo(() => (changed: () => void) => client.listen(changed), [client]);
  return useSyncExternalStore(subscribe, () => client.state);
}

export function useOutbox(client: HoldfastClient): readonly OutboxEntry[] {
  const subscribe = useMemo(() => (changed: () => void) => client.outbox.listen(changed), [client]);
  return useSyncExternalStore(subscribe, () => client.outbox.entries);
}

function subscribeOnline(changed: () => void): () => void {
  window.addEventListener('online', changed);
  window.addEventListener('offline', changed);
  return () => {
    window.removeEventListener('online', changed);
    window.removeEventListener('offline', changed);
  };
}

/** Whether the browser has a network, as it says. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribeOnline, () => navigator.onLine);
}
