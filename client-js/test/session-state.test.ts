import { expect, test, vi } from 'vitest';
import type { SessionEvent, StoredMessage } from '../src/index.js';
import { scripted } from './support/script.js';
import { AT, added, attached, chunk, delta, ended, opened, started, stored, watched } from './support/watched.js';

test('a snapshot takes the place of everything', () => {
  const scene = watched({ snapshot: { messages: [stored('u1', null, 'Hello'), stored('a1', 'u1', 'Hi')], truncated: true } });
  expect(scene.texts()).toEqual(['Hello', 'Hi']);
  expect(scene.view.state.truncated).toBe(true);
  scene.link.frame('s', 'x', 'y').ok('watch', { attached: true });
  scene.link.message(attached({ why: 'too-old', cursor: 'n', snapshot: { messages: [stored('u9', null, 'New')], truncated: false } }));
  expect(scene.texts()).toEqual(['New']);
  expect(scene.view.state).toMatchObject({ cursor: 'n', turns: [], truncated: false });
});

test('an answer is seen growing and is replaced by what is stored', () => {
  const scene = watched({ snapshot: { messages: [stored('u1', null, 'Hello')], truncated: false } });
  scene.tell(started, opened, chunk({ type: 'start', messageId: 'a1' }), chunk({ type: 'text-start', id: '0' }), delta('H'));
  expect(scene.texts()).toEqual(['Hello', 'H']);
  scene.tell(delta('i'));
  expect(scene.texts()).toEqual(['Hello', 'Hi']);
  expect(scene.view.state.turns[0]?.chunks).toEqual([
    { type: 'start', messageId: 'a1' },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'Hi' },
  ]);
  scene.tell(added(stored('a1', 'u1', 'Hi.'), 't'));
  expect(scene.texts()).toEqual(['Hello', 'Hi.']);
  scene.tell(ended);
  expect(scene.view.state).toMatchObject({ turns: [], outcome: { turn: 't', outcome: 'completed', messageId: 'a1' } });
});

test('a session that ended while the client was away has its message and no turn [M77] [M78]', () => {
  const scene = watched();
  scene.tell(started, opened, delta('H'));
  scene.link.lose();
  scene.clock.advance(500);
  const link = scene.link;
  expect(scene.links.at(-1)).not.toBe(link);
  const next = scene.links.at(-1)!;
  next.welcome('conn-2').reconnected().attached('s', 'c1', false);
  next.message({ type: 'events', session: 's', from: 'c1', cursor: 'c9', events: [added(stored('a1', null, 'Hi.'), 't'), ended] });
  expect(scene.texts()).toEqual(['Hi.']);
  expect(scene.view.state.turns).toEqual([]);
});

test('a turn that is begun anew drops what it had', () => {
  const scene = watched();
  scene.tell(started, opened, delta('wrong'), { kind: 'turn-recovering', seq: 4, at: AT, turn: 't', reason: 'lost' });
  expect(scene.view.state.turns[0]).toMatchObject({ recovering: true });
  scene.tell(opened, delta('right'));
  expect(scene.texts()).toEqual(['right']);
  expect(scene.view.state.turns[0]).toMatchObject({ recovering: false });
});

test('a turn that was taken up again is not being recovered any more once its next chunk came', () => {
  const scene = watched();
  scene.tell(started, opened, delta('so far'), { kind: 'turn-recovering', seq: 4, at: AT, turn: 't', reason: 'lost' });
  scene.tell(delta(' and on'));
  expect(scene.texts()).toEqual(['so far and on']);
  expect(scene.view.state.turns[0]).toMatchObject({ recovering: false });
});

test('a turn that goes on after a wait continues its message', () => {
  const scene = watched({ snapshot: { messages: [stored('a1', null, 'Looking.')], truncated: false } });
  const pending = [{ toolCallId: 'call', toolName: 'where', approval: false }];
  scene.tell({ kind: 'turn-awaiting', seq: 5, at: AT, turn: 't', messageId: 'a1', pending });
  expect(scene.view.state.turns[0]).toMatchObject({ state: 'awaiting', pending });
  scene.tell(opened, delta(' Done.'));
  expect(scene.texts()).toEqual(['Looking. Done.']);
  expect(scene.view.state.turns[0]).toMatchObject({ state: 'streaming', pending: [] });
});

test('calls that wait are there after a snapshot', () => {
  const pending = [{ toolCallId: 'call', toolName: 'pay', approval: true }];
  const scene = watched({ turns: [{ id: 't', state: 'awaiting', messageId: 'a1', pending }] });
  expect(scene.view.state.turns).toMatchObject([{ id: 't', state: 'awaiting', pending }]);
});

test('the conversation is the path to the message that was added last', () => {
  const scene = watched();
  scene.tell(added(stored('u1', null, 'Hello')), added(stored('a1', 'u1', 'Hi')), added(stored('a2', 'u1', 'Hey')));
  expect(scene.texts()).toEqual(['Hello', 'Hey']);
  expect(scene.view.message('a1')).toBeDefined();
  scene.tell({ kind: 'message-deleted', seq: 9, at: AT, messageId: 'a2' });
  expect(scene.texts()).toEqual(['Hello', 'Hi']);
  scene.tell({ kind: 'messages-cleared', seq: 10, at: AT });
  expect(scene.texts()).toEqual([]);
});

const updated = (message: StoredMessage): SessionEvent => ({ kind: 'message-updated', seq: 9, at: AT, messageId: message.id, turn: null, message });

test('messages that wait in the queue stay in sight when the answer before them moves between', () => {
  const scene = watched();
  scene.tell(added(stored('u1', null, 'One')), added(stored('u2', 'u1', 'Two')), added(stored('u3', 'u2', 'Three')));
  scene.tell(added(stored('a1', 'u1', 'Answer')), updated(stored('u2', 'a1', 'Two')));
  expect(scene.texts()).toEqual(['One', 'Answer', 'Two', 'Three']);
  scene.tell(added(stored('a2', 'u2', 'Other')), updated(stored('u3', 'a2', 'Three')));
  expect(scene.texts()).toEqual(['One', 'Answer', 'Two', 'Other', 'Three']);
  scene.tell(updated(stored('u1', null, 'Changed')));
  expect(scene.texts()).toEqual(['Changed', 'Answer', 'Two', 'Other', 'Three']);
});

test('mode, driver, boot context and closing are told', () => {
  const scene = watched({ mode: 'ask', driver: 'you', boot: { greeting: 'hi' } });
  expect(scene.view.state).toMatchObject({ mode: 'ask', driver: 'you', boot: { greeting: 'hi' }, closed: false });
  scene.tell({ kind: 'mode-changed', seq: 1, at: AT, mode: 'agent' }, { kind: 'session-closed', seq: 2, at: AT });
  scene.link.message({ type: 'driver', session: 's', driver: 'other', displaced: true });
  expect(scene.view.state).toMatchObject({ mode: 'agent', driver: 'other', displaced: true, closed: true });
  scene.tell({ kind: 'session-reopened', seq: 3, at: AT });
  expect(scene.view.state.closed).toBe(false);
});

test('events, messages and fields that are not known are passed over', () => {
  const scene = watched();
  const link = scene.link as unknown as { events: { message(message: unknown): void } };
  link.events.message({ type: 'news', text: '?' });
  link.events.message({ type: 'events', session: 's', from: 'c0', cursor: 'c1', events: [{ kind: 'news' }, delta('x')] });
  expect(scene.view.state.cursor).toBe('c1');
  expect(scene.texts()).toEqual(['x']);
});

test('a message that is too large for its event is fetched', async () => {
  const asked: string[] = [];
  const scene = scripted({
    environment: {
      fetch: async url => {
        asked.push(String(url));
        return asked.length === 1 ? new Response('', { status: 503 }) : Response.json(stored('a 1', 'u1', 'very long'));
      },
    },
  });
  const link = scene.connect();
  const view = scene.client.watch('s');
  link.ok('watch', { attached: true });
  link.message(attached({ snapshot: { messages: [stored('u1', null, 'Hello')], truncated: false } }));
  const event = { kind: 'message-added', seq: 1, at: AT, messageId: 'a 1', turn: 't', message: null } as const;
  link.message({ type: 'events', session: 's', from: 'c0', cursor: 'c1', events: [event] });
  expect(view.messages).toHaveLength(2);
  await vi.waitFor(() => expect(scene.clock.pending).toBe(1));
  scene.clock.advance(1000);
  await vi.waitFor(() => expect(view.messages.map(each => each.parts[0]?.['text'])).toEqual(['Hello', 'very long']));
  expect(asked[1]).toBe('http://holdfast.test/api/v1/sessions/s/messages/a%201');
});
