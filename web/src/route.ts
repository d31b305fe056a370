import { useSyncExternalStore } from 'react';

/** What the page shows. It stands in the fragment of its address, so that the app works below any path. */
export type Route =
  | { readonly page: 'new' }
  | { readonly page: 'chat'; readonly session: string; readonly message: string | null; readonly find: string | null }
  | { readonly page: 'console' };

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [page = '', id = ''] = path.split('/', 2);
  if (page === 'console') {
    return { page: 'console' };
  }
  if (page === 'chat' && id !== '') {
    try {
      const asked = new URLSearchParams(query);
      return { page: 'chat', session: decodeURIComponent(id), message: asked.get('message'), find: asked.get('find') };
    } catch {
      return { page: 'new' }; // no address of ours
    }
  }
  return { page: 'new' };
}

export function routeTo(route: Route): string {
  switch (route.page) {
    case 'new':
      return '#/';
    case 'console':
      return '#/console';
    case 'chat': {
      const query = new URLSearchParams();
      if (route.message !== null) {
        query.set('message', route.message);
      }
      if (route.find !== null) {
        query.set('find', route.find);
      }
      return `#/chat/${encodeURIComponent(route.session)}${query.size === 0 ? '' : `?${query.toString()}`}`;
    }
  }
}

/** To a message, and to a word in it, where those are given. */
export function chatRoute(session: string, message: string | null = null, find: string | null = null): Route {
  return { page: 'chat', session, message, find };
}

export function go(route: Route): void {
  location.hash = routeTo(route);
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}

export function useRoute(): Route {
  return parseRoute(useSyncExternalStore(subscribe, () => location.hash));
}
