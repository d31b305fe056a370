import type { PreviewMessage, Chunk } from './fold.js';
import type {
  Attached,
  Detached,
  Driver,
  Events,
  PendingCall,
  Problem,
  SessionEvent,
  StoredMessage,
  TurnEndedEvent,
} from './protocol.js';

/** A turn without an outcome. */
export interface TurnView {
  readonly id: string;
  /** `accepted`: it waits in the queue. */
  readonly state: 'accepted' | 'streaming' | 'awaiting';
  /** The message that it writes; null where that is not known yet. */
  readonly messageId: string | null;
  /** The calls that wait for an answer. */
  readonly pending: readonly PendingCall[];
  /** Someone asked it to stop. */
  readonly stopping: boolean;
  /** It lost its process or its agent, and is being recovered; no more once its next chunk came. */
  readonly recovering: boolean;
  /** The message in progress, as far as its chunks came; null before the first one, and once the message itself is stored. */
  readonly message: PreviewMessage | null;
  /** Its chunks; adjacent deltas of one part are one. */
  readonly chunks: readonly Chunk[];
}

export type Outcome = Pick<TurnEndedEvent, 'turn' | 'outcome'> & {
  readonly messageId: string | null;
  readonly reason: string | null;
};

/** What is known of a session. Never changed in place: each change gives another one. */
export interface SessionState {
  readonly session: string;
  /** `waiting`: for the first answer of the server; `attached`: it follows; `detached`: nothing more comes. */
  readonly status: 'waiting' | 'attached' | 'detached';
  /** Why it is detached. */
  readonly reason?: Detached['reason'] | 'refused';
  readonly problem?: Problem;
  /** The position up to which everything was applied; null before the first. */
  readonly cursor: string | null;
  /** The stored messages of the conversation as it stands, root first. */
  readonly messages: readonly StoredMessage[];
  /** Whether there are older ones. */
  readonly truncated: boolean;
  /** The turns without an outcome, oldest first. */
  readonly turns: readonly TurnView[];
  /** The last outcome that was seen. */
  readonly outcome: Outcome | null;
  readonly driver: 'you' | 'other' | 'none';
  /** Whether another device took over from this one, with the last change of the driver. */
  readonly displaced: boolean;
  readonly mode: string | null;
  readonly closed: boolean;
  /** What the host keeps for the session's clients; undefined if nothing. */
  readonly boot: unknown;
}

/** What a listener of a session is told. `state` is what holds once it accepts. */
export type SessionUpdate =
  | { readonly type: 'attached'; readonly answer: Attached; readonly state: SessionState }
  | { readonly type: 'events'; readonly events: readonly SessionEvent[]; readonly frame: Events; readonly state: SessionState }
  | { readonly type: 'driver'; readonly driver: Driver; readonly state: SessionState }
  | { readonly type: 'detached'; readonly state: SessionState }
  /** A message came that was too large for its event, or another change that is the client's own. */
  | { readonly type: 'changed'; readonly state: SessionState };

/**
 * Takes what happens in a session, in order and once. If it throws, the frame counts as not seen: the cursor stays, and the same comes again after a pause.
 */
export type SessionListener = (update: SessionUpdate) => void;

/** The conversation as a page shows it: the stored messages, and behind them those in progress. */
export function conversation(state: SessionState): PreviewMessage[] {
  const shown = state.messages.map(content);
  for (const turn of state.turns) {
    const message = turn.message;
    if (message !== null) {
      const known = shown.findIndex(each => each.id === message.id);
      shown.splice(known < 0 ? shown.length : known, known < 0 ? 0 : 1, message);
    }
  }
  return shown;
}

/** A stored message as a message of the AI SDK; what another application wrote is its text. */
export function content(message: StoredMessage): PreviewMessage {
  const stored = message.content;
  if (typeof stored === 'object' && stored !== null && Array.isArray((stored as { parts?: unknown }).parts)) {
    return { ...(stored as PreviewMessage), id: message.id };
  }
  const text = typeof stored === 'string' ? stored : JSON.stringify(stored ?? null);
  return { id: message.id, role: message.role, parts: stored === null ? [] : [{ type: 'text', text }] };
}
