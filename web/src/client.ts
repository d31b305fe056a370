import { HoldfastClient } from '@holdfast/client';
import { createContext, use } from 'react';

const KEY = 'holdfast.key';

/** The API key of this tab; it is gone with the tab. */
export const apiKey = {
  get(): string | undefined {
    try {
      return sessionStorage.getItem(KEY) ?? undefined;
    } catch {
      return held;
    }
  },
  set(key: string): void {
    held = key;
    try {
      sessionStorage.setItem(KEY, key);
    } catch {
      // forbidden by the browser's settings: held until the page goes
    }
  },
};

let held: string | undefined;

/** The one client of the page; all that the app knows comes through it. The server is the one that the page came from, at whatever path it lies. */
export function makeClient(): HoldfastClient {
  return new HoldfastClient({
    url: location.origin,
    path: new URL('./api/v1/connect', location.href.replace(/#.*/, '')).pathname,
    key: () => apiKey.get(),
  });
}

export const ClientContext = createContext<HoldfastClient | undefined>(undefined);

export function useClient(): HoldfastClient {
  const client = use(ClientContext);
  if (client === undefined) {
    throw new Error('There is no client around this component');
  }
  return client;
}
