import type { Attached, SessionEvent, StoredMessage } from '../../src/protocol.js';
import { scripted } from './script.js';

export const AT = '2026-01-01T00:00:00Z';

export const stored = (id: string, parentId: string | null, text: string, role = id.startsWith('u') ? 'user' : 'assistant'): StoredMessage => ({
  id,
  parentId,
  role,
  content: { id, role, parts: [{ type: 'text', text }] },
  createdAt: AT,
  updatedAt: AT,
});

export function attached(fields: Partial<Attached> = {}): Attached {
  return {
    type: 'attached',
    session: 's',
    answer: 'snapshot',
    why: 'new',
    cursor: 'c0',
    snapshot: { messages: [], truncated: false },
    turns: [],
    driver: 'none',
    mode: null,
    closed: false,
    ...fields,
  };
}

/** A session that is watched, attached with this answer, and told events in frames. */
export function watched(fields: Partial<Attached> = {}) {
  const scene = scripted();
  const link = scene.connect();
  const view = scene.client.watch('s');
  link.ok('watch', { attached: true }).message(attached(fields));
  let cursors = 0;
  return {
    ...scene,
    link,
    view,
    tell(...events: SessionEvent[]) {
      link.message({ type: 'events', session: 's', from: `c${cursors}`, cursor: `c${++cursors}`, events });
    },
    texts: () => view.messages.map(message => message.parts.map(part => part['text']).join('')),
  };
}

export const chunk = (data: unknown, turn = 't'): SessionEvent => ({ kind: 'chunk', turn, seq: 0, data });
export const delta = (text: string) => chunk({ type: 'text-delta', id: '0', delta: text });
export const opened: SessionEvent = { kind: 'stream-opened', turn: 't', messageId: 'a1' };
export const started: SessionEvent = { kind: 'turn-started', seq: 1, at: AT, turn: 't', messageId: 'a1', streaming: true };
export const added = (message: StoredMessage, turn: string | null = null): SessionEvent => ({
  kind: 'message-added',
  seq: 2,
  at: AT,
  messageId: message.id,
  turn,
  message,
});
export const ended: SessionEvent = { kind: 'turn-ended', seq: 3, at: AT, turn: 't', messageId: 'a1', outcome: 'completed' };
