import type { Environment, WebSocketLike } from './environment.js';
import type { ClientMessage } from './protocol.js';
import type { Address, Answer, Link, LinkEvents, Transport } from './transport.js';
import { connectUrl, readMessage } from './transport.js';

const OPEN = 1;
const SUBPROTOCOL = 'holdfast.v1';
const KEY_SUBPROTOCOL = 'holdfast.bearer.';

/** Events and commands over one WebSocket. Why an upgrade was refused is not told to scripts, so that a refusal looks like a loss. */
export class WebSocketTransport implements Transport {
  constructor(
    private readonly address: Address,
    private readonly environment: Environment,
  ) {}

  open(events: LinkEvents): Link {
    const constructor = this.environment.WebSocket;
    if (constructor === undefined) {
      throw new Error('There is no WebSocket here. Use the transport "sse", or give one in the environment.');
    }
    const url = connectUrl(this.address);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const key = this.address.key();
    const protocols = key === undefined ? [SUBPROTOCOL] : [SUBPROTOCOL, KEY_SUBPROTOCOL + base64url(key)];
    return new WebSocketLink(new constructor(url.href, protocols), events, this.environment);
  }
}

class WebSocketLink implements Link {
  readonly kind = 'websocket';
  readonly #answers = new Map<string, (answer: Answer) => void>();

  constructor(
    private readonly socket: WebSocketLike,
    private readonly events: LinkEvents,
    private readonly environment: Environment,
  ) {
    socket.onmessage = (event: { data: unknown }) => this.#frame(event.data);
    socket.onclose = () => this.#lost('The socket was closed.');
    socket.onerror = () => undefined; // onclose follows
  }

  #frame(data: unknown): void {
    const message = typeof data === 'string' ? readMessage(data) : undefined;
    if (message === undefined) {
      return;
    }
    if (message.type === 'reply') {
      const answered = this.#answers.get(message.id);
      this.#answers.delete(message.id);
      answered?.(message);
    }
    this.events.message(message); // a reply is a sign of life, too
  }

  #lost(detail: string): void {
    this.close();
    this.events.lost({ kind: 'lost', detail });
  }

  send(command: ClientMessage, answered: (answer: Answer) => void): void {
    if (!this.#write(command)) {
      return; // its end is told in a moment, or was
    }
    this.#answers.set(command.id, answered);
  }

  /** Frames keep their order. */
  sendLast(command: ClientMessage, settled?: () => void): void {
    this.#write(command);
    settled?.();
  }

  #write(command: ClientMessage): boolean {
    if (this.socket.readyState !== OPEN) {
      return false;
    }
    try {
      this.socket.send(JSON.stringify(command));
      return true;
    } catch (error) {
      this.environment.report(error);
      return false;
    }
  }

  /** The handlers go first, so that a late end of this socket is not taken for the end of the next. */
  close(): void {
    this.socket.onopen = null;
    this.socket.onmessage = null;
    this.socket.onclose = null;
    this.socket.onerror = () => undefined; // the package ws throws where nobody listens
    this.#answers.clear();
    try {
      this.socket.close();
    } catch {
      // it was not even open
    }
  }
}

function base64url(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  bytes.forEach(byte => (binary += String.fromCharCode(byte)));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
