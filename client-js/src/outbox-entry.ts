import type { Problem, Receipt, Turn } from './protocol.js';

/**
 * What is known of a message on its way.
 *
 * - `pending`: it waits, and was not sent yet, or was refused for the moment.
 * - `sending`: it is being sent for the first time.
 * - `uncertain`: it was sent and not answered; it may be there. It is sent again, which starts nothing twice.
 * - `failed`: the server refused it. It stays until it is sent again or dismissed.
 */
export type OutboxStatus = 'pending' | 'sending' | 'uncertain' | 'failed';

/** A message on its way. Never changed in place. */
export interface OutboxEntry {
  /** The idempotency key: the turn's id. */
  readonly key: string;
  readonly kind: 'send' | 'interrupt';
  /** Null where the server makes the session. */
  readonly session: string | null;
  readonly create: boolean;
  readonly turn: Turn;
  readonly status: OutboxStatus;
  /** Why it failed, or why the last attempt did not get through. */
  readonly problem?: Problem;
}

export type OutboxEvent =
  | { readonly type: 'pending' | 'uncertain' | 'discarded'; readonly entry: OutboxEntry }
  | { readonly type: 'failed'; readonly entry: OutboxEntry; readonly problem: Problem }
  | { readonly type: 'accepted'; readonly entry: OutboxEntry; readonly receipt: Receipt };
