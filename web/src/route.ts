import { useSyncExternalStore } from 'react';

/** What the page shows. It stands in the fragment of its address, so that the app works below any path. */
export type Route =
  | { readonly page: 'new' }
  | ChatRoute
  | { readonly page: 'console' }
  /** An address that leads nowhere. */
  | { readonly page: 'unknown' };

export interface ChatRoute {
  readonly page: 'chat';
  readonly session: string;
  /** A message to go to. */
  readonly message: string | null;
  /** Words in it. */
  readonly find: string | null;
  /** A message whose branch is shown, as far as that goes on by now; null for the one that is live. */
  readonly leaf: string | null;
}

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [page = '', id = ''] = path.split('/', 2);
  if (page === 'console') {
    return { page: 'console' };
  }
  if (page === 'chat' && id !== '') {
    try {
      const asked = new URLSearchParams(query);
      return { page: 'chat', session: decodeURIComponent(id), message: asked.get('message'), find: asked.get('find'), leaf: asked.get('leaf') };
    } catch {
      return { page: 'unknown' };
    }
  }
  return { page: path === '' ? 'new' : 'unknown' };
}

export function routeTo(route: Route): string {
  switch (route.page) {
    case 'new':
    case 'unknown':
      return '#/';
    case 'console':
      return '#/console';
    case 'chat': {
      const query = new URLSearchParams();
      for (const name of ['message', 'find', 'leaf'] as const) {
        const value = route[name];
        if (value !== null) {
          query.set(name, value);
        }
      }
      return `#/chat/${encodeURIComponent(route.session)}${query.size === 0 ? '' : `?${query.toString()}`}`;
    }
  }
}

/** To a message, and to a word in it, where those are given. */
export function chatRoute(session: string, message: string | null = null, find: string | null = null): ChatRoute {
  return { page: 'chat', session, message, find, leaf: null };
}

export function go(route: Route): void {
  location.hash = routeTo(route);
}

/** Another view of the same conversation: the way back leads to what was shown before it. */
export function replace(route: ChatRoute): void {
  location.replace(routeTo(route));
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}

export function useRoute(): Route {
  return parseRoute(useSyncExternalStore(subscribe, () => location.hash));
}
