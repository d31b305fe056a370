// The published clients behind one face: what they hear, and what their calls come to.

import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';

const INFO = { name: 'holdfast-verification', version: '1.0.0' };

/** Their default gives up after two and a half seconds. */
const PATIENT = {
  initialReconnectionDelay: 50,
  maxReconnectionDelay: 500,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 200,
};

const TIMEOUT_MS = 60_000;

class Connected {
  heard = [];
  #client;
  #transport;

  constructor(client, transport) {
    this.#client = client;
    this.#transport = transport;
  }

  get sessionId() {
    return this.#transport.sessionId;
  }

  get client() {
    return this.#client;
  }

  /** Calls a tool; the text of its answer. */
  async call(name, args = {}, options = {}) {
    const request = { name, arguments: args };
    const settings = { timeout: TIMEOUT_MS, ...options };
    const result =
      this.#client instanceof Client1
        ? await this.#client.callTool(request, undefined, settings)
        : await this.#client.callTool(request, settings);
    return result.content[0].text;
  }

  /** Waits until it has heard so much. */
  async hears(count) {
    const end = Date.now() + TIMEOUT_MS;
    while (this.heard.length < count) {
      if (Date.now() > end) {
        throw new Error(`heard only ${this.heard}`);
      }
      await new Promise(resolve => setTimeout(resolve, 2));
    }
  }

  async close() {
    await this.#client.close();
  }
}

/** The official TypeScript SDK 1.x. */
async function sdk1(url, options = { capabilities: {} }) {
  const client = new Client1(INFO, options);
  const transport = new Transport1(url, { reconnectionOptions: PATIENT });
  const connected = new Connected(client, transport);
  client.onerror = () => {};
  client.setNotificationHandler(LoggingMessageNotificationSchema, message => {
    connected.heard.push(message.params.data);
  });
  await client.connect(transport);
  return connected;
}

/** The official TypeScript client 2.x, which speaks the 2025 revisions unless it is told otherwise. */
async function client2(url, options = { capabilities: {} }) {
  const client = new Client2(INFO, options);
  const transport = new Transport2(url, { reconnectionOptions: PATIENT });
  const connected = new Connected(client, transport);
  client.onerror = () => {};
  client.setNotificationHandler('notifications/message', message => {
    connected.heard.push(message.params.data);
  });
  await client.connect(transport);
  return connected;
}

/** The same in the era of 2026-07-28. */
export async function modern(url, capabilities = {}) {
  const client = new Client2(INFO, { capabilities, versionNegotiation: { mode: 'auto' } });
  const transport = new Transport2(url);
  client.onerror = () => {};
  await client.connect(transport);
  return new Connected(client, transport);
}

/** The clients of the 2025 revisions. */
export const LEGACY = { 'sdk-1': sdk1, 'client-2': client2 };
