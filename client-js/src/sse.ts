import type { Environment } from './environment.js';
import type { ClientMessage, Problem, Reply } from './protocol.js';
import { SseParser } from './sse-parser.js';
import type { Address, Answer, Link, LinkEvents, Transport } from './transport.js';
import { connectUrl, readMessage, retryAfter } from './transport.js';

/** Browsers refuse larger bodies of requests that outlive their page. */
const MAX_KEEPALIVE_CHARS = 15_000;

/** Events over one response that never ends, commands as a POST each. `fetch` and not `EventSource`, which cannot send a key. */
export class SseTransport implements Transport {
  constructor(
    private readonly address: Address,
    private readonly environment: Environment,
  ) {}

  open(events: LinkEvents): Link {
    return new SseLink(this.address, this.environment, events);
  }
}

class SseLink implements Link {
  readonly kind = 'sse';
  readonly #abort = new AbortController();
  #closed = false;
  #connection: string | undefined;

  constructor(
    private readonly address: Address,
    private readonly environment: Environment,
    private readonly events: LinkEvents,
  ) {
    void this.#read();
  }

  #headers(): Record<string, string> {
    const key = this.address.key();
    return { ...this.address.headers(), ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }) };
  }

  #credentials(): { credentials?: RequestCredentials } {
    return this.address.credentials === undefined ? {} : { credentials: this.address.credentials };
  }

  async #read(): Promise<void> {
    try {
      const response = await this.environment.fetch(connectUrl(this.address).href, {
        headers: { ...this.#headers(), Accept: 'text/event-stream' },
        cache: 'no-store',
        signal: this.#abort.signal,
        ...this.#credentials(),
      });
      if (this.#closed) {
        return;
      }
      if (response.status !== 200) {
        await this.#refused(response);
        return;
      }
      const type = response.headers.get('Content-Type') ?? '';
      if (!type.startsWith('text/event-stream') || response.body === null) {
        throw new Error(`The answer is no event stream but "${type}". Is there a Holdfast server at this address?`);
      }
      await this.#copy(response.body);
      this.#lost('The connection ended.');
    } catch (error) {
      const isNetwork = error instanceof TypeError; // what fetch throws, in each browser's own words
      this.#lost(isNetwork ? 'The server could not be reached.' : error instanceof Error ? error.message : String(error));
    }
  }

  async #copy(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    const parser = new SseParser(data => this.#frame(data));
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || this.#closed) {
        return;
      }
      parser.push(decoder.decode(value, { stream: true }));
    }
  }

  #frame(data: string): void {
    const message = readMessage(data);
    if (message === undefined || this.#closed) {
      return;
    }
    if (message.type === 'welcome') {
      this.#connection = message.connection;
    }
    this.events.message(message);
  }

  async #refused(response: Response): Promise<void> {
    const problem = await readProblem(response);
    if (this.#closed) {
      return;
    }
    this.#closed = true;
    this.#abort.abort();
    const after = retryAfter(response.headers.get('Retry-After'));
    this.events.lost({
      kind: 'refused',
      status: response.status,
      ...(after === undefined ? {} : { retryAfterMillis: after }),
      ...(problem === undefined ? {} : { problem }),
    });
  }

  #lost(detail: string): void {
    if (!this.#closed) {
      this.#closed = true;
      this.#abort.abort();
      this.events.lost({ kind: 'lost', detail });
    }
  }

  #commandUrl(): string {
    const url = connectUrl(this.address);
    url.search = '';
    url.pathname += `/${encodeURIComponent(this.#connection ?? '')}`;
    return url.href;
  }

  send(command: ClientMessage, answered: (answer: Answer) => void): void {
    if (this.#connection === undefined) {
      throw new Error('A command was sent before the welcome');
    }
    void this.#post(command, answered);
  }

  async #post(command: ClientMessage, answered: (answer: Answer) => void): Promise<void> {
    let answer: Answer;
    try {
      answer = await readReply(await this.#request(command, this.#abort.signal), command.id);
    } catch {
      answer = null;
    }
    if (!this.#closed) {
      answered(answer);
    }
  }

  #request(command: ClientMessage, signal?: AbortSignal): Promise<Response> {
    const body = JSON.stringify(command);
    return this.environment.fetch(this.#commandUrl(), {
      method: 'POST',
      headers: { ...this.#headers(), 'Content-Type': 'application/json' },
      body,
      keepalive: signal === undefined && body.length <= MAX_KEEPALIVE_CHARS,
      ...(signal === undefined ? {} : { signal }),
      ...this.#credentials(),
    });
  }

  /** A request that outlives its page, and not a beacon: that could carry no key, and what follows it could overtake it unseen. */
  sendLast(command: ClientMessage, settled?: () => void): void {
    if (this.#connection === undefined || this.#closed) {
      return;
    }
    const done = () => {
      if (!this.#closed) {
        settled?.();
      }
    };
    this.#request(command).then(response => {
      void response.body?.cancel();
      done();
    }, done);
  }

  close(): void {
    this.#closed = true;
    this.#abort.abort();
  }
}

async function readProblem(response: Response): Promise<Problem | undefined> {
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null && 'status' in body ? (body as Problem) : undefined;
  } catch {
    return undefined;
  }
}

/** The reply in a response; null where there is none, as behind a proxy that answers for itself. */
async function readReply(response: Response, id: string): Promise<Answer> {
  const body: unknown = await response.json().catch(() => undefined);
  if (typeof body !== 'object' || body === null) {
    return response.ok ? null : { type: 'reply', id, status: response.status, problem: bareProblem(response) };
  }
  if ((body as Partial<Reply>).type === 'reply') {
    return (body as Reply).id === id ? (body as Reply) : null;
  }
  if (response.ok) {
    return { type: 'reply', id, status: response.status, result: body };
  }
  const problem = 'status' in body && 'title' in body ? (body as Problem) : bareProblem(response);
  return { type: 'reply', id, status: response.status, problem };
}

function bareProblem(response: Response): Problem {
  const status = response.status;
  return { type: 'about:blank', title: response.statusText, status, detail: `The server answered ${status} ${response.statusText}.` };
}
