// What the tests need of the real server, and of the network in between.

import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { HoldfastClient } from '../src/client.js';
import { systemEnvironment } from '../src/environment.js';
import type { WebSocketConstructor } from '../src/environment.js';
import type { ClientOptions } from '../src/options.js';
import type { StoredMessage } from '../src/protocol.js';
import type { SessionView } from '../src/session-view.js';
import type { TransportKind } from '../src/transport.js';
import { FakeStorage } from '../test/support/clock.js';
import { check } from '../test/support/schema.js';

export const BASE = process.env['HOLDFAST_URL'] ?? 'http://127.0.0.1:4437';

/** The ways that the server offers. */
export const TRANSPORTS = (process.env['HOLDFAST_TRANSPORTS'] ?? 'sse,websocket').split(',') as TransportKind[];

export const newId = (): string => `s-${crypto.randomUUID()}`;

const clients: HoldfastClient[] = [];

/** Clients live until the end of their test. */
export function closeClients(): void {
  clients.splice(0).forEach(client => client.disconnect());
}

/** A client of a tab of its own, whose pauses are short. */
export function open(options: ClientOptions = {}): HoldfastClient {
  const environment = systemEnvironment();
  const client = new HoldfastClient({
    url: BASE,
    ...options,
    environment: {
      ...environment,
      WebSocket: WebSocket as unknown as WebSocketConstructor,
      storage: new FakeStorage(),
      setTimer: (run, millis) => environment.setTimer(run, millis >= 15_000 ? millis : millis / 100),
      report: error => void reports.push(error),
      ...options.environment,
    },
  });
  clients.push(client);
  client.connect();
  return client;
}

export const reports: unknown[] = [];

/** Asks the test that runs this process for something. */
export async function ask(what: string): Promise<string> {
  const response = await fetch(`${BASE}/test/${what}`, { method: 'POST' });
  if (!response.ok) {
    throw new Error(`${what}: ${response.status} ${await response.text()}`);
  }
  return response.text();
}

/** Lets the agent go on that waits. */
export const release = (): Promise<string> => ask('release');

export async function api<T>(path: string, base = BASE): Promise<T> {
  const response = await fetch(`${base}/api/v1/${path}`);
  if (!response.ok) {
    throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }
  return (await response.json()) as T;
}

/** The conversation as the store has it. */
export async function stored(session: string, base = BASE): Promise<StoredMessage[]> {
  const { messages } = await api<{ messages: StoredMessage[] }>(`sessions/${encodeURIComponent(session)}/messages?order=root&limit=500`, base);
  messages.forEach(message => check('StoredMessage', message));
  return messages;
}

export async function until(condition: () => boolean | Promise<boolean>, what: () => unknown): Promise<void> {
  const deadline = Date.now() + 110_000;
  while (!(await condition())) {
    if (Date.now() > deadline) {
      throw new Error(`not in time: ${JSON.stringify(what())}`);
    }
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}

export const texts = (view: SessionView): string[] =>
  view.messages.map(message => message.parts.map(part => (part.type === 'text' ? String(part['text']) : '')).join(''));

export async function shows(view: SessionView, expected: string | RegExp): Promise<void> {
  const last = () => texts(view).at(-1) ?? '';
  await until(() => (typeof expected === 'string' ? last() === expected : expected.test(last())), () => [texts(view), view.state]);
}

/** No turn is left, and what is shown is what the store has. */
export async function isCanonical(view: SessionView, base = BASE): Promise<void> {
  await until(() => view.state.turns.length === 0, () => view.state);
  const expected = await stored(view.id, base);
  if (JSON.stringify(view.state.messages) !== JSON.stringify(expected)) {
    throw new Error(`shown: ${JSON.stringify(view.state.messages)}\nstored: ${JSON.stringify(expected)}`);
  }
}

/** A network between a client and its server: it can be taken away, and cuts connections after so many bytes. */
export class Network {
  readonly #sockets = new Set<net.Socket>();
  readonly #target: URL;
  #server: net.Server | undefined;
  #isUp = true;
  /** After how many bytes the next connections are cut, each way counted together; none are cut while it is undefined. */
  cutAfter: (() => number) | undefined;
  cuts = 0;

  private constructor(target: string) {
    this.#target = new URL(target);
  }

  static async to(target: string): Promise<Network> {
    const network = new Network(target);
    const server = net.createServer(near => network.#connect(near)).unref();
    network.#server = server;
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return network;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server?.address() as AddressInfo).port}`;
  }

  #connect(near: net.Socket): void {
    if (!this.#isUp) {
      near.destroy();
      return;
    }
    const far = net.connect(Number(this.#target.port), this.#target.hostname);
    let left = this.cutAfter?.();
    const end = () => [near, far].forEach(socket => socket.destroy());
    for (const [from, to] of [[near, far], [far, near]] as const) {
      this.#sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => undefined);
      from.on('close', () => {
        this.#sockets.delete(from);
        end();
      });
      from.on('data', (data: Buffer) => {
        if (left !== undefined && this.cutAfter !== undefined && data.length >= left) {
          to.write(data.subarray(0, left), end);
          from.pause();
          this.cuts++;
          return;
        }
        left = left === undefined ? undefined : left - data.length;
        if (!to.write(data)) {
          from.pause();
          to.once('drain', () => from.resume());
        }
      });
    }
  }

  /** Gone: every connection breaks, and none lasts that is made. */
  down(): void {
    this.#isUp = false;
    this.#sockets.forEach(socket => socket.destroy());
  }

  up(): void {
    this.#isUp = true;
  }

  close(): void {
    this.down();
    this.#server?.close();
  }
}
