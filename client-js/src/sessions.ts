import type { StoredMessage } from './protocol.js';
import type { RequestOptions, Requests } from './requests.js';

export interface SessionSummary {
  readonly id: string;
  /** Null where it has none. */
  readonly title: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Some of a list; `next` asks for more and is null at its end. */
export interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  readonly next: string | null;
}

export interface MessagePage {
  /** Newest first. */
  readonly messages: readonly StoredMessage[];
  readonly next: string | null;
}

/** One of the messages that have the same parent: versions of an edited message, or answers that were written once more. */
export interface Branch {
  readonly id: string;
  readonly role: string;
  readonly createdAt: string;
  /** The end of the newest conversation below it. */
  readonly leafId: string;
}

/** A place where a conversation parts. */
export interface Parting {
  /** The message that they all follow; null for those that begin the session. */
  readonly parentId: string | null;
  /** Oldest first; two at least. */
  readonly messages: readonly Branch[];
}

/** A summary that the model reads in the place of the messages from one to another; nothing of them is deleted. */
export interface Overlay {
  readonly id: string;
  /** The first message that it stands for. */
  readonly from: string;
  /** The last one. */
  readonly to: string;
  readonly summary: string;
  readonly createdAt: string;
}

export interface PageOptions extends RequestOptions {
  limit?: number;
  /** The `next` of the page before. */
  next?: string;
}

export interface ListOptions extends PageOptions {
  /** Words that the title has, or that begin words of it. Such a page may be short, or empty, and still have a `next`. */
  title?: string;
}

export interface HistoryOptions extends PageOptions {
  /** The message that the conversation ends with; the newest of all unless given. */
  leaf?: string;
  /** Instead of that: a message that the conversation leads through, to the end of the newest one below it. */
  through?: string;
}

export type ExportFormat = 'markdown' | 'json';

/** What the server keeps of sessions beside their events. Each call is one request. */
export class Sessions {
  /** @internal */
  constructor(private readonly requests: Requests) {}

  /** The latest activity first. */
  async list(options: ListOptions = {}): Promise<SessionPage> {
    const { next, ...rest } = options;
    const path = next ?? this.requests.path('sessions');
    const page = await this.requests.json<{ sessions: Untitled[]; next: string | null }>(path, next === undefined ? query(rest) : signal(rest));
    return { sessions: page.sessions.map(summary), next: page.next };
  }

  /** One session. */
  async get(session: string, options: RequestOptions = {}): Promise<SessionSummary> {
    return summary(await this.requests.json<Untitled>(this.requests.path('sessions', session), options));
  }

  /** Makes a session, unless there is one of this id. */
  async create(session: string, options: RequestOptions = {}): Promise<void> {
    await this.requests.json(this.requests.path('sessions'), {
      method: 'POST',
      body: JSON.stringify({ id: session }),
      contentType: 'application/json',
      ...options,
    });
  }

  /** Deletes a session with all that it has. */
  async delete(session: string, options: RequestOptions = {}): Promise<void> {
    await this.requests.json(this.requests.path('sessions', session), { method: 'DELETE', ...options });
  }

  /** Names a session. */
  async setTitle(session: string, title: string, options: RequestOptions = {}): Promise<void> {
    await this.requests.json(this.requests.path('sessions', session, 'title'), {
      method: 'PUT',
      body: JSON.stringify({ title }),
      contentType: 'application/json',
      ...options,
    });
  }

  /** A page of a conversation, newest first. */
  messages(session: string, options: HistoryOptions = {}): Promise<MessagePage> {
    const { next, ...rest } = options;
    return this.requests.json(next ?? this.requests.path('sessions', session, 'messages'), next === undefined ? query(rest) : signal(rest));
  }

  /** Where the newest `limit` messages of a conversation part from others; the server looks at 50 unless told, and at 500 at most. */
  async branches(session: string, options: RequestOptions & { leaf?: string; limit?: number } = {}): Promise<readonly Parting[]> {
    return (await this.requests.json<{ branches: Parting[] }>(this.requests.path('sessions', session, 'branches'), query(options))).branches;
  }

  /** The summaries that the model reads in the place of older messages, newest first. Where two overlap, the newer one counts. */
  async overlays(session: string, options: RequestOptions = {}): Promise<readonly Overlay[]> {
    return (await this.requests.json<{ overlays: Overlay[] }>(this.requests.path('sessions', session, 'overlays'), options)).overlays;
  }

  /** Has the model read a summary in the place of the messages from one to another, its descendant. */
  putOverlay(session: string, overlay: Pick<Overlay, 'from' | 'to' | 'summary'>, options: RequestOptions = {}): Promise<Overlay> {
    return this.requests.json(this.requests.path('sessions', session, 'overlays'), {
      method: 'POST',
      body: JSON.stringify(overlay),
      contentType: 'application/json',
      ...options,
    });
  }

  /** Has the model read the messages again. */
  async deleteOverlay(session: string, id: string, options: RequestOptions = {}): Promise<void> {
    await this.requests.json(this.requests.path('sessions', session, 'overlays', id), { method: 'DELETE', ...options });
  }

  /** The conversation as a file. */
  export(session: string, format: ExportFormat, options: RequestOptions & { leaf?: string } = {}): Promise<Blob> {
    const { leaf, ...rest } = options;
    return this.requests.blob(this.requests.path('sessions', session, 'export'), { query: { format, leaf }, ...rest });
  }
}

type Untitled = Omit<SessionSummary, 'title'> & { title?: string | null };

function summary({ id, title, createdAt, updatedAt }: Untitled): SessionSummary {
  return { id, title: title ?? null, createdAt, updatedAt };
}

function signal(options: RequestOptions): RequestOptions {
  return options.signal === undefined ? {} : { signal: options.signal };
}

function query(options: HistoryOptions & ListOptions): RequestOptions & { query: Record<string, string | number | undefined> } {
  return { query: { limit: options.limit, leaf: options.leaf, through: options.through, title: options.title }, ...signal(options) };
}
