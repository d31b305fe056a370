import type { SessionEvent } from '@holdfast/client';

/** What a loss of the connection did to a turn that was read when it came. */
export interface Resumed {
  readonly id: number;
  readonly at: number;
  readonly why: string;
  readonly session: string;
  readonly turn: string;
  /** The last chunk before the loss. */
  readonly last: number;
  /** The first chunk after it; null where the turn was over by then and its message came instead. */
  readonly next: number | null;
  /** Chunks that are missing between the two; always 0 unless something is broken. */
  readonly missing: number;
}

/** Entries that are kept. */
const MAX_ENTRIES = 20;

/**
 * Follows where turns are read and what becomes of that when the connection is lost: the numbers of the chunks before and after show whether anything is missing.
 */
export class ResumeLog {
  #entries: readonly Resumed[] = [];
  #ids = 0;
  /** The last chunk of each turn that is read. */
  readonly #last = new Map<string, { session: string; seq: number }>();
  /** The turns that were read when the connection was lost. */
  #open = new Map<string, { session: string; seq: number; why: string }>();
  readonly #listeners = new Set<() => void>();

  constructor(private readonly now: () => number = Date.now) {}

  readonly entries = (): readonly Resumed[] => this.#entries;

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  };

  lost(why: string): void {
    for (const [turn, { session, seq }] of this.#last) {
      if (!this.#open.has(turn)) {
        this.#open.set(turn, { session, seq, why });
      }
    }
  }


  events(session: string, events: readonly SessionEvent[]): void {
    for (const event of events) {
      switch (event.kind) {
        case 'chunk':
          if (event.seq !== undefined) {
            this.#resume(event.turn, event.seq);
            this.#last.set(event.turn, { session, seq: event.seq });
          }
          break;
        case 'turn-ended':
        case 'turn-awaiting':
          this.#resume(event.turn, null);
          this.#last.delete(event.turn);
          break;
        case 'stream-opened':
          this.#open.delete(event.turn); // begun anew: nothing to compare with
          this.#last.delete(event.turn);
          break;
        default:
          break;
      }
    }
  }

  /** The session was read anew; what its turns were at is not known any more. */
  forget(session: string): void {
    for (const turns of [this.#last, this.#open]) {
      for (const [turn, read] of turns) {
        if (read.session === session) {
          turns.delete(turn);
        }
      }
    }
  }

  #resume(turn: string, next: number | null): void {
    const open = this.#open.get(turn);
    if (open === undefined) {
      return;
    }
    this.#open.delete(turn);
    const entry: Resumed = {
      id: ++this.#ids,
      at: this.now(),
      why: open.why,
      session: open.session,
      turn,
      last: open.seq,
      next,
      missing: next === null ? 0 : Math.max(0, next - open.seq - 1),
    };
    this.#entries = [entry, ...this.#entries].slice(0, MAX_ENTRIES);
    this.#listeners.forEach(listener => listener());
  }
}
