import type { ClientMessage, Problem, Reply, ServerMessage } from './protocol.js';

export type TransportKind = 'sse' | 'websocket';

/** The answer to a command; null where none is known, so that it may have been done or not. */
export type Answer = Reply | null;

/** How a link ended: it was lost, or the server refused to open it. */
export type Loss =
  | { kind: 'lost'; detail: string }
  | { kind: 'refused'; status: number; retryAfterMillis?: number; problem?: Problem };

export interface LinkEvents {
  message(message: ServerMessage): void;
  /** Called once at most, and nothing after it. */
  lost(loss: Loss): void;
}

/** One connection, from the request that opens it to its end. Lives once: whoever comes back opens another one. */
export interface Link {
  readonly kind: TransportKind;
  /** Sends a command; after the welcome only. The answer comes once, or not at all if the link ends before. */
  send(command: ClientMessage, answered: (answer: Answer) => void): void;
  /**
   * Sends a command of a page that may be gone in the next moment. Its answer is not told, only that it has come, or never will: what is sent then cannot overtake it.
   */
  sendLast(command: ClientMessage, settled?: () => void): void;
  /** Ends it. No event and no answer comes any more, from the moment of the call on. */
  close(): void;
}

export interface Transport {
  open(events: LinkEvents): Link;
}

/** How to reach the server. */
export interface Address {
  /** The server's address, such as `https://agents.example.org`. */
  url: string;
  /** The path of the endpoint. */
  path: string;
  /** The name of this device; a connection that comes back under it is known to be the same driver. */
  device: string;
  /** The API key, asked for whenever a connection is opened or a command sent. */
  key: () => string | undefined;
  /** More headers, of requests only: a WebSocket in a browser has none. */
  headers: () => Record<string, string>;
  credentials: RequestCredentials | undefined;
}

/** A frame as a message; undefined for what is none. */
export function readMessage(text: string): ServerMessage | undefined {
  try {
    const message: unknown = JSON.parse(text);
    const isMessage = typeof message === 'object' && message !== null && typeof (message as { type?: unknown }).type === 'string';
    return isMessage ? (message as ServerMessage) : undefined;
  } catch {
    return undefined;
  }
}

export function connectUrl(address: Address): URL {
  const url = new URL(address.path, address.url);
  url.searchParams.set('device', address.device);
  return url;
}

/** The milliseconds of a `Retry-After` header, given in seconds or as a date. */
export function retryAfter(value: string | null): number | undefined {
  if (value === null || value.trim() === '') {
    return undefined;
  }
  const seconds = Number(value);
  const millis = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(millis) && millis >= 0 ? millis : undefined;
}
