import { MessageTree } from './message-tree.js';
import type { Attached, MessageEvent, SessionEvent, StoredMessage } from './protocol.js';
import { content } from './session-state.js';
import type { Outcome, SessionState } from './session-state.js';
import { TurnRecord } from './turn-record.js';

/** All that a session's frames make, but for the cursor and how it is attached. Never changed in place. */
export interface SessionData {
  readonly tree: MessageTree;
  readonly turns: ReadonlyMap<string, TurnRecord>;
  readonly outcome: Outcome | null;
  readonly driver: SessionState['driver'];
  readonly displaced: boolean;
  readonly mode: string | null;
  readonly closed: boolean;
  readonly boot: unknown;
  /** Messages that were too large for their event, and are to be fetched. */
  readonly missing: ReadonlySet<string>;
}

export const NOTHING: SessionData = {
  tree: MessageTree.EMPTY,
  turns: new Map(),
  outcome: null,
  driver: 'none',
  displaced: false,
  mode: null,
  closed: false,
  boot: undefined,
  missing: new Set(),
};

/** What an answer to a cursor makes of what was there. */
export function attach(data: SessionData, answer: Attached): SessionData {
  const { driver, mode, closed } = answer;
  const stands = { driver, displaced: false, mode, closed, boot: answer.boot };
  if (answer.answer === 'ok') {
    return { ...data, ...stands };
  }
  const turns = answer.turns.map(turn =>
    TurnRecord.begin(turn.id, turn.state, turn.messageId).with({ pending: turn.pending }),
  );
  return {
    ...NOTHING,
    ...stands,
    outcome: data.outcome,
    tree: MessageTree.of(answer.snapshot?.messages ?? [], answer.snapshot?.truncated ?? false),
    turns: new Map(turns.map(turn => [turn.view.id, turn])),
  };
}

/** What the events of a frame make of what was there. Kinds that are not known are passed over. */
export function reduce(data: SessionData, events: readonly SessionEvent[]): SessionData {
  let result = data;
  for (let i = 0; i < events.length; i++) {
    const event = events[i] as SessionEvent;
    if (event.kind === 'chunk') {
      const chunks: unknown[] = [];
      for (let next = events[i]; next?.kind === 'chunk' && next.turn === event.turn; next = events[++i]) {
        chunks.push(next.data);
      }
      i--;
      result = withTurn(result, event.turn, turn => turn.chunked(chunks));
    } else {
      result = one(result, event);
    }
  }
  return result;
}

function one(data: SessionData, event: Exclude<SessionEvent, { kind: 'chunk' }>): SessionData {
  switch (event.kind) {
    case 'message-added':
    case 'message-updated':
      return message(data, event);
    case 'message-deleted':
      return { ...data, tree: data.tree.deleted(event.messageId), missing: without(data.missing, event.messageId) };
    case 'messages-cleared':
      return { ...data, tree: MessageTree.EMPTY, missing: new Set() };
    case 'turn-started':
      return withTurn(data, event.turn, turn =>
        turn.with({
          state: event.streaming ? 'streaming' : 'accepted',
          messageId: event.messageId ?? turn.view.messageId,
          pending: [],
          recovering: false,
        }),
      );
    case 'stream-opened': {
      const before = data.tree.get(event.messageId);
      return withTurn(data, event.turn, turn => turn.opened(event.messageId, before && content(before)));
    }
    case 'turn-awaiting':
      return withTurn(data, event.turn, turn =>
        turn.with({ state: 'awaiting', messageId: event.messageId ?? turn.view.messageId, pending: event.pending }),
      );
    case 'turn-stopping':
      return withTurn(data, event.turn, turn => turn.with({ stopping: true }));
    case 'turn-recovering':
      return withTurn(data, event.turn, turn => turn.with({ recovering: true }));
    case 'turn-ended': {
      const turns = new Map(data.turns);
      turns.delete(event.turn);
      const { turn, outcome, messageId = null, reason = null } = event;
      return { ...data, turns, outcome: { turn, outcome, messageId, reason } };
    }
    case 'mode-changed':
      return { ...data, mode: event.mode };
    case 'session-closed':
      return { ...data, closed: true };
    case 'session-reopened':
      return { ...data, closed: false };
    default:
      return data;
  }
}

/** The turn is made if its beginning was not seen. */
function withTurn(data: SessionData, id: string, change: (turn: TurnRecord) => TurnRecord): SessionData {
  const turn = data.turns.get(id) ?? TurnRecord.begin(id, 'streaming', null);
  return { ...data, turns: new Map(data.turns).set(id, change(turn)) };
}

function message(data: SessionData, event: MessageEvent): SessionData {
  const stored = event.message ?? placeholder(data, event);
  const tree = event.kind === 'message-added' ? data.tree.added(stored) : data.tree.updated(stored);
  const missing = event.message === null ? new Set(data.missing).add(event.messageId) : without(data.missing, event.messageId);
  const turns = new Map(data.turns);
  for (const [id, turn] of data.turns) {
    if (turn.view.messageId === event.messageId && (turn.view.message !== null || turn.fold !== null)) {
      turns.set(id, turn.stored());
    }
  }
  return { ...data, tree, turns, missing };
}

/** What stands for a message until it is fetched: what is known of it. */
function placeholder(data: SessionData, event: MessageEvent): StoredMessage {
  const known = data.tree.get(event.messageId);
  const preview = [...data.turns.values()].find(turn => turn.view.messageId === event.messageId)?.view.message;
  return {
    id: event.messageId,
    parentId: known?.parentId ?? data.tree.leaf,
    role: known?.role ?? (preview ? 'assistant' : 'user'),
    content: preview ?? known?.content ?? null,
    createdAt: known?.createdAt ?? event.at,
    updatedAt: event.at,
  };
}

function without(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  if (!set.has(id)) {
    return set;
  }
  const rest = new Set(set);
  rest.delete(id);
  return rest;
}
