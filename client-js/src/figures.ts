/** What a server is doing at this moment, as far as the caller may see it; lists are cut at a bound. */
export interface Figures {
  readonly at: string;
  readonly version: string;
  readonly node: { readonly uptimeSeconds: number; readonly heapBytes: number; readonly shardsHeld: number };
  /** Connections of the session transport to this node, and the sessions that they watch. */
  readonly connections: number;
  readonly watchedSessions: number;
  readonly store: { readonly bytes: number | null };
  readonly streams: readonly StreamFigures[];
  readonly turns: readonly TurnFigures[];
  readonly recoveries: readonly RecoveryFigures[];
}

export interface StreamFigures {
  readonly name: string;
  /** The session whose turn writes it; null where none does, or none of those that are looked at. */
  readonly sessionId: string | null;
  /** Of that session. */
  readonly title: string | null;
  readonly state: string;
  readonly chunks: number;
  /** Readers in the process that answers. */
  readonly readers: number;
  /** How many chunks the reader that is furthest behind has not read yet. */
  readonly maxLagChunks: number;
}

export interface TurnFigures {
  readonly sessionId: string;
  /** Of the session; null where it has none. */
  readonly title: string | null;
  readonly id: string;
  readonly state: string;
  readonly agent: string;
  readonly attempts: number;
  readonly createdAt: string;
}

export interface RecoveryFigures {
  readonly sessionId: string;
  /** Of the session; null where it has none. */
  readonly title: string | null;
  readonly turnId: string;
  /** `recovering`, `given-up`, or `recovered`. */
  readonly status: string;
  /** Null for one that ended well; what it had to overcome is not kept. */
  readonly cause: string | null;
  readonly reason: string | null;
  readonly attempts: number;
  readonly openedAt: string;
  readonly updatedAt: string;
}
