import type { RequestOptions, Requests } from './requests.js';

export interface SearchHit {
  readonly sessionId: string;
  readonly title: string | null;
  readonly messageId: string;
  readonly role: string;
  /** The text around the match, in pieces. */
  readonly snippet: readonly { readonly text: string; readonly match: boolean }[];
  readonly createdAt: string;
}

export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** Asks for more; null at the end. */
  readonly next: string | null;
}

export interface SearchOptions extends RequestOptions {
  limit?: number;
  cursor?: string;
}

/** @internal */
export async function search(requests: Requests, text: string, options: SearchOptions): Promise<SearchPage> {
  const { limit, cursor, ...rest } = options;
  return requests.json(requests.path('search'), { query: { q: text, limit, cursor }, ...rest });
}
