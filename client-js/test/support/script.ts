import { HoldfastClient } from '../../src/client.js';
import type { ClientOptions } from '../../src/options.js';
import type { ClientMessage, Problem, ServerMessage } from '../../src/protocol.js';
import type { Answer, Link, LinkEvents, Loss, Transport } from '../../src/transport.js';
import { Clock, FakePage, FakeStorage, fakeEnvironment } from './clock.js';
import { check } from './schema.js';

interface Sent {
  readonly command: ClientMessage;
  readonly answered: (answer: Answer) => void;
}

/** A connection whose other end is a test. All that passes is checked against the schema. */
export class FakeLink implements Link {
  readonly kind = 'sse';
  readonly sent: Sent[] = [];
  readonly last: ClientMessage[] = [];
  /** Whether the last words of a page arrive only when the test says so. */
  isSlow = false;
  arrived: () => void = () => undefined;
  closed = false;

  constructor(private readonly events: LinkEvents) {}

  send(command: ClientMessage, answered: (answer: Answer) => void): void {
    check('ClientMessage', command);
    this.sent.push({ command, answered });
  }

  sendLast(command: ClientMessage, settled?: () => void): void {
    check('ClientMessage', command);
    this.last.push(command);
    this.arrived = () => settled?.();
    if (!this.isSlow) {
      settled?.();
    }
  }

  close(): void {
    this.closed = true;
  }

  /** What was sent, by its type. */
  of<T extends ClientMessage['type']>(type: T): Extract<ClientMessage, { type: T }>[] {
    return this.sent.map(each => each.command).filter(command => command.type === type) as never;
  }

  get types(): string[] {
    return this.sent.map(each => each.command.type);
  }

  /** Delivered as the network would, also when the client has let go of the link: a late message. */
  message(message: ServerMessage): this {
    check('ServerMessage', message);
    this.events.message(message);
    return this;
  }

  welcome(id: string, heartbeatMillis = 0): this {
    return this.message({ type: 'welcome', protocol: 1, connection: id, heartbeatMillis, retryMillis: 2000, rotateAfterMillis: 0 });
  }

  lose(loss: Loss = { kind: 'lost', detail: 'cut' }): void {
    this.events.lost(loss);
  }

  refuse(status: number, retryAfterMillis?: number): void {
    this.lose({ kind: 'refused', status, ...(retryAfterMillis === undefined ? {} : { retryAfterMillis }) });
  }

  #find(type: ClientMessage['type'] | ClientMessage): Sent {
    const found = this.sent.findLast(each => (typeof type === 'string' ? each.command.type === type : each.command === type));
    if (found === undefined) {
      throw new Error(`no ${JSON.stringify(type)} was sent, but: ${this.types.join(', ')}`);
    }
    return found;
  }

  /** Answers the newest command of this type. */
  ok(type: ClientMessage['type'] | ClientMessage, result: object = {}): this {
    const { command, answered } = this.#find(type);
    answered({ type: 'reply', id: command.id, status: 200, result });
    return this;
  }

  problem(type: ClientMessage['type'] | ClientMessage, status: number, name = 'some-problem'): this {
    const { command, answered } = this.#find(type);
    const problem: Problem = { type: `urn:holdfast:problem:${name}`, title: name, status, detail: `It is a ${name}.` };
    answered({ type: 'reply', id: command.id, status, problem });
    return this;
  }

  /** The network failed: nothing is known. */
  unknown(type: ClientMessage['type'] | ClientMessage): this {
    this.#find(type).answered(null);
    return this;
  }

  /** Answers `reconnect`: everything is attached. */
  reconnected(): this {
    const { command } = this.#find('reconnect');
    const sessions = command.type === 'reconnect' ? command.sessions : [];
    return this.ok('reconnect', { sessions: sessions.map(({ session }) => ({ session, attached: true })) });
  }

  /** Attaches a session where it is, or from a snapshot. */
  attached(session: string, cursor: string, snapshot = true): this {
    const common = { type: 'attached' as const, session, cursor, turns: [], driver: 'none' as const, mode: null, closed: false };
    return this.message(
      snapshot
        ? { ...common, answer: 'snapshot', why: 'new', snapshot: { messages: [], truncated: false } }
        : { ...common, answer: 'ok' },
    );
  }

  /** One chunk with a text that names where it leads. */
  frame(session: string, from: string, cursor: string): this {
    return this.message({
      type: 'events',
      session,
      from,
      cursor,
      events: [{ kind: 'chunk', turn: 't', seq: 0, data: { type: 'text-delta', id: '0', delta: cursor } }],
    });
  }

  receipt(session: string, key: string): this {
    const command = this.sent.findLast(
      ({ command: each }) => (each.type === 'send' || each.type === 'interrupt') && each.turn.id === key,
    )?.command;
    return this.ok(command as ClientMessage, { session, turn: key, state: 'streaming', messageId: `msg-${key}`, started: true });
  }
}

export class FakeTransport implements Transport {
  readonly links: FakeLink[] = [];

  open(events: LinkEvents): Link {
    const link = new FakeLink(events);
    this.links.push(link);
    return link;
  }
}

/** A client whose network, time and page belong to the test. */
export function scripted(options: ClientOptions = {}) {
  const clock = new Clock();
  const page = new FakePage();
  const storage = new FakeStorage();
  const transport = new FakeTransport();
  const { environment, reports } = fakeEnvironment(clock, { page, storage, ...options.environment });
  const client = new HoldfastClient({ url: 'http://holdfast.test', transport, device: 'tab', ...options, environment });
  const states: string[] = [];
  client.listen(state => states.push(state.status));
  return {
    client,
    clock,
    page,
    storage,
    reports,
    states,
    environment,
    get links() {
      return transport.links;
    },
    /** The newest connection. */
    get link(): FakeLink {
      return transport.links.at(-1) as FakeLink;
    },
    /** Connected, with nothing watched. */
    connect(id = 'conn-1') {
      client.connect();
      return (transport.links.at(-1) as FakeLink).welcome(id);
    },
  };
}

/** Lets promises settle. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) {
    await Promise.resolve();
  }
}
