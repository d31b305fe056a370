import type { OutboxEntry, StoredMessage, TurnView } from '@holdfast/client';
import { describe, expect, test } from 'vitest';
import { itemsOf } from '../src/chat/items';
import type { Shown } from '../src/chat/items';

const stored = (id: string, parentId: string | null, role = 'user'): StoredMessage => ({
  id,
  parentId,
  role,
  content: { id, role, parts: [{ type: 'text', text: id }] },
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
});

const turn = (fields: Partial<TurnView>): TurnView => ({
  id: 't',
  state: 'streaming',
  messageId: 'a',
  pending: [],
  stopping: false,
  recovering: false,
  message: null,
  chunks: [],
  ...fields,
});

const entry = (id: string): OutboxEntry => ({
  key: id,
  kind: 'send',
  session: 's',
  create: false,
  status: 'sending',
  turn: { id, message: { id, content: { id, role: 'user', parts: [] } } },
});

const items = (fields: Partial<Shown>) => itemsOf({ messages: [], live: { turns: [], outcome: null }, outbox: [], folds: new Map(), replaced: new Map(), ...fields });
const keys = (fields: Partial<Shown>) => items(fields).map(item => `${item.kind} ${item.key}`);

describe('the lines of a conversation', () => {
  test('tell behind which message a summary ends', () => {
    const overlay = { id: '1', from: 'a', to: 'b', summary: 'short', createdAt: '' };
    const messages = [stored('a', null), stored('b', 'a'), stored('c', 'b')];
    expect(keys({ messages, folds: new Map([['b', overlay]]) })).toEqual(['message a', 'message b', 'fold fold 1', 'message c']);
    expect(keys({ messages: [stored('a', null)], folds: new Map([['b', overlay]]) })).toEqual(['message a']);
  });

  test('end with the answer in the making', () => {
    const live = { turns: [turn({ message: { id: 'a', role: 'assistant', parts: [] } })], outcome: null };
    expect(keys({ messages: [stored('m', null)], live })).toEqual(['message m', 'message a']);
  });

  test('have the answer in the making before the messages that wait for it', () => {
    const message = { id: 'a', role: 'assistant', parts: [] };
    const live = { turns: [turn({ message }), turn({ id: 'n', state: 'accepted', messageId: null })], outcome: null };
    expect(keys({ messages: [stored('m', null), stored('n', 'm')], live })).toEqual(['message m', 'message a', 'message n', 'turn turn n']);
  });

  test('show an answer that is stored and goes on in its own place', () => {
    const message = { id: 'a', role: 'assistant', parts: [] };
    const shown = items({ messages: [stored('m', null), stored('a', 'm')], live: { turns: [turn({ message })], outcome: null } });
    expect(shown).toHaveLength(2);
    expect(shown[1]).toMatchObject({ message, turn: { id: 't' } });
  });

  test('show a message of the outbox until it is stored, and not both', () => {
    expect(keys({ outbox: [entry('m')] })).toEqual(['sending outbox m']);
    expect(keys({ outbox: [entry('m')], messages: [stored('m', null)] })).toEqual(['message m']);
  });

  test('show a turn that has written nothing yet', () => {
    expect(keys({ live: { turns: [turn({ state: 'accepted', messageId: null })], outcome: null } })).toEqual(['turn turn t']);
  });

  test('leave out the answer that is written once more, while it is', () => {
    const messages = [stored('m', null), stored('old', 'm', 'assistant')];
    const live = { turns: [turn({ message: { id: 'a', role: 'assistant', parts: [] } })], outcome: null };
    expect(keys({ messages, live, replaced: new Map([['t', 'old']]) })).toEqual(['message m', 'message a']);
    expect(keys({ messages, replaced: new Map([['t', 'old']]) })).toEqual(['message m', 'message old']);
  });

  test('tell an outcome that no message tells', () => {
    const outcome = { turn: 't', outcome: 'failed' as const, messageId: null, reason: 'no' };
    expect(keys({ live: { turns: [], outcome } })).toEqual(['outcome outcome t']);
    expect(items({ messages: [stored('m', null)], live: { turns: [], outcome } }).at(-1)).toMatchObject({ asked: { id: 'm' } });
    expect(keys({ live: { turns: [], outcome: { ...outcome, outcome: 'completed' } } })).toEqual([]);
  });

  test('have the same message object for the same stored message, so that it is not drawn again', () => {
    const messages = [stored('m', null)];
    const [first] = items({ messages });
    const [second] = items({ messages: [...messages, stored('n', 'm')] });
    expect(first?.kind === 'message' && second?.kind === 'message' && first.message === second.message).toBe(true);
  });
});
