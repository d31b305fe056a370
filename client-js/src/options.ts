import { AutoTransport } from './auto.js';
import { systemEnvironment } from './environment.js';
import type { Environment } from './environment.js';
import { SseTransport } from './sse.js';
import type { Address, Transport, TransportKind } from './transport.js';
import { WebSocketTransport } from './websocket.js';

export interface ClientOptions {
  /** The server's address, such as `https://agents.example.org`. On a page of the same origin it may be left out. */
  url?: string | URL;
  /** The path of the endpoint; `/api/v1/connect` unless the host has it elsewhere. */
  path?: string;
  /** `auto` takes WebSocket, and SSE where that does not get through. */
  transport?: TransportKind | 'auto' | Transport;
  /** The API key, or what gives the present one. */
  key?: string | (() => string | undefined);
  /** More headers for requests; a WebSocket in a browser has none. */
  headers?: Record<string, string> | (() => Record<string, string>);
  /** Whether cookies go along with requests to another origin, as for `fetch`. */
  credentials?: RequestCredentials;
  /** The name of this device, 1 to 64 of `A-Z a-z 0-9 _ -`; one of this tab's own unless given. */
  device?: string;
  /** Tells outboxes apart that one tab keeps, for example those of two users. */
  outbox?: string;
  /** What the client uses instead of what the browser or Node gives. */
  environment?: Partial<Environment>;
}

const DEVICE_NAME = 'holdfast.device';

export function environmentOf(options: ClientOptions): Environment {
  return { ...systemEnvironment(), ...options.environment };
}

export function addressOf(options: ClientOptions, environment: Environment): Address {
  const url = options.url ?? (typeof location === 'undefined' ? undefined : location.origin);
  if (url === undefined) {
    throw new TypeError('There is no page here whose server could be meant. Give the server\'s "url".');
  }
  const device = options.device ?? deviceOf(environment);
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(device)) {
    throw new TypeError(`The device "${device}" is not named with 1 to 64 of A-Z a-z 0-9 _ -`);
  }
  const { key, headers } = options;
  return {
    url: new URL(url).href,
    path: options.path ?? '/api/v1/connect',
    device,
    key: typeof key === 'function' ? key : () => key,
    headers: typeof headers === 'function' ? headers : () => headers ?? {},
    credentials: options.credentials,
  };
}

/** The same for a tab that is reloaded. */
function deviceOf(environment: Environment): string {
  try {
    const kept = environment.storage?.getItem(DEVICE_NAME);
    const device = kept ?? environment.newId();
    if (kept !== device) {
      environment.storage?.setItem(DEVICE_NAME, device);
    }
    return device;
  } catch {
    return environment.newId();
  }
}

export function transportOf(options: ClientOptions, address: Address, environment: Environment): Transport {
  const chosen = options.transport ?? 'auto';
  if (typeof chosen === 'object') {
    return chosen;
  }
  const sse = new SseTransport(address, environment);
  if (chosen === 'sse' || (chosen === 'auto' && environment.WebSocket === undefined)) {
    return sse;
  }
  const webSocket = new WebSocketTransport(address, environment);
  return chosen === 'websocket' ? webSocket : new AutoTransport(webSocket, sse);
}
