// What the client needs of its surroundings. All of it can be replaced, so that tests own time, chance and the page.

export type Timer = unknown;

/** What happens to a page. `pageshow` and `pagehide` say whether the page comes from, or goes to, the browser's page cache. */
export type PageEvent = 'hidden' | 'visible' | 'online' | 'offline' | 'pageshow' | 'pagehide';

export interface Page {
  readonly hidden: boolean;
  /** Returns what ends the listening. */
  listen(listener: (event: PageEvent, persisted: boolean) => void): () => void;
}

/** Keeps texts by name, as `sessionStorage` does. It may throw: what cannot be kept is reported and lives in memory only. */
export interface KeyValues {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** The part of the browser's WebSocket that is used; that of the package `ws` has it, too. */
export interface WebSocketLike {
  readonly readyState: number;
  onopen: ((event: any) => unknown) | null;
  onmessage: ((event: any) => unknown) | null;
  onclose: ((event: any) => unknown) | null;
  onerror: ((event: any) => unknown) | null;
  send(data: string): void;
  close(code?: number, reason?: string): void;
}

export type WebSocketConstructor = new (url: string, protocols: string[]) => WebSocketLike;

export interface Environment {
  /** Milliseconds on a clock that only goes forward. */
  now(): number;
  setTimer(run: () => void, millis: number): Timer;
  clearTimer(timer: Timer): void;
  /** From 0 to less than 1. */
  random(): number;
  /** An id that nobody else has. */
  newId(): string;
  /** Takes what a listener threw, and what cannot be kept. */
  report(error: unknown): void;
  fetch: typeof fetch;
  /** Absent where there is none: then only SSE can be used. */
  WebSocket: WebSocketConstructor | undefined;
  /** Absent outside browsers. */
  page: Page | undefined;
  /** Where the outbox and the device's name are kept, for this tab only; absent: in memory. */
  storage: KeyValues | undefined;
}

/** The surroundings of a browser or of Node. */
export function systemEnvironment(): Environment {
  return {
    now: () => performance.now(),
    setTimer: (run, millis) => setTimeout(run, millis),
    clearTimer: timer => clearTimeout(timer as ReturnType<typeof setTimeout>),
    random: () => Math.random(),
    newId,
    report: error => console.error(error),
    fetch: (input, init) => globalThis.fetch(input, init),
    WebSocket: (globalThis as { WebSocket?: unknown }).WebSocket as WebSocketConstructor | undefined,
    page: systemPage(),
    storage: systemStorage(),
  };
}

/** `crypto.randomUUID` exists on pages from https and localhost only. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}

function systemPage(): Page | undefined {
  if (typeof document === 'undefined' || typeof window === 'undefined') {
    return undefined;
  }
  return {
    get hidden() {
      return document.visibilityState === 'hidden';
    },
    listen(listener) {
      const visibility = () => listener(document.visibilityState === 'hidden' ? 'hidden' : 'visible', false);
      const online = () => listener('online', false);
      const offline = () => listener('offline', false);
      const show = (event: PageTransitionEvent) => listener('pageshow', event.persisted);
      const hide = (event: PageTransitionEvent) => listener('pagehide', event.persisted);
      document.addEventListener('visibilitychange', visibility);
      window.addEventListener('online', online);
      window.addEventListener('offline', offline);
      window.addEventListener('pageshow', show);
      window.addEventListener('pagehide', hide);
      return () => {
        document.removeEventListener('visibilitychange', visibility);
        window.removeEventListener('online', online);
        window.removeEventListener('offline', offline);
        window.removeEventListener('pageshow', show);
        window.removeEventListener('pagehide', hide);
      };
    },
  };
}

function systemStorage(): KeyValues | undefined {
  try {
    return typeof sessionStorage === 'undefined' ? undefined : sessionStorage;
  } catch {
    return undefined; // forbidden by the browser's settings
  }
}
