import type { Environment } from './environment.js';
import { HoldfastError } from './errors.js';
import { MAX_REQUEST_MILLIS } from './limits.js';
import type { Problem } from './protocol.js';
import type { Address } from './transport.js';

export interface RequestOptions {
  /** Gives the request up. */
  signal?: AbortSignal;
}

/** What a request is made of; `query` leaves out what is undefined. */
export interface Request extends RequestOptions {
  method?: string;
  query?: Record<string, string | number | undefined>;
  body?: BodyInit;
  contentType?: string;
}

/** Requests beside the connection: to the same server, with the same key. Each is sent once. */
export class Requests {
  constructor(
    private readonly address: Address,
    private readonly environment: Environment,
  ) {}

  /** The path of something of the API, such as `sessions/demo`; each part is encoded. */
  path(...parts: string[]): string {
    return [this.address.path.replace(/\/connect$/, ''), ...parts.map(encodeURIComponent)].join('/');
  }

  /**
   * The JSON of an answer; undefined where it has none.
   *
   * @throws {HoldfastError} as {@link response}
   */
  async json<T>(path: string, request: Request = {}): Promise<T> {
    const response = await this.response(path, request);
    const text = await this.#whole(() => response.text(), request);
    try {
      return (text === '' ? undefined : JSON.parse(text)) as T;
    } catch {
      throw new HoldfastError('refused', 'The server answered something that is no JSON.');
    }
  }

  /** @throws {HoldfastError} as {@link response} */
  async blob(path: string, request: Request = {}): Promise<Blob> {
    const response = await this.response(path, request);
    return this.#whole(() => response.blob(), request);
  }

  /**
   * @param path of the server; an address elsewhere is refused, since the key goes with it
   * @throws {HoldfastError} `refused` with the server's problem; `offline` if a request that changes nothing found no server; `uncertain` if another one did, with what
   *   the browser says as `cause`; `discarded` if its signal ended it
   */
  async response(path: string, request: Request = {}): Promise<Response> {
    const url = new URL(path, this.address.url);
    if (url.origin !== new URL(this.address.url).origin) {
      throw new HoldfastError('refused', `"${path}" is not of this server. Nothing was sent.`);
    }
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) {
        url.searchParams.set(name, String(value));
      }
    }
    const key = this.address.key();
    const headers: Record<string, string> = { ...this.address.headers() };
    if (key !== undefined) {
      headers['Authorization'] = `Bearer ${key}`;
    }
    if (request.contentType !== undefined) {
      headers['Content-Type'] = request.contentType;
    }
    const { credentials } = this.address;
    const response = await this.#whole(
      () =>
        this.environment.fetch(url.href, {
          method: request.method ?? 'GET',
          headers,
          ...(request.body === undefined ? {} : { body: request.body }),
          ...(credentials === undefined ? {} : { credentials }),
          signal: this.#signal(request),
        }),
      request,
    );
    if (!response.ok) {
      throw HoldfastError.refused(await problemOf(response));
    }
    return response;
  }

  #signal(request: Request): AbortSignal {
    const limit = AbortSignal.timeout(MAX_REQUEST_MILLIS);
    return request.signal === undefined ? limit : AbortSignal.any([request.signal, limit]);
  }

  async #whole<T>(make: () => Promise<T>, request: Request): Promise<T> {
    try {
      return await make();
    } catch (error) {
      if (request.signal?.aborted === true) {
        throw new HoldfastError('discarded', 'The request was taken back.');
      }
      const changesNothing = (request.method ?? 'GET') === 'GET';
      throw changesNothing
        ? new HoldfastError('offline', 'The server could not be reached.', undefined, { cause: error })
        : new HoldfastError('uncertain', 'The server did not answer. It may have done what was asked.', undefined, { cause: error });
    }
  }
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    const problem = (await response.json()) as Partial<Problem>;
    if (typeof problem.type === 'string' && typeof problem.detail === 'string') {
      return { title: problem.detail, ...problem, status: response.status } as Problem;
    }
  } catch {
    // what answered was no Holdfast
  }
  const { status } = response;
  return { type: 'about:blank', title: 'Refused', status, detail: `The server answered ${status}.` };
}
