import { describe, expect, test, vi } from 'vitest';
import type { Attached, SessionEvent, StoredMessage } from '../src/protocol.js';
import { scripted } from './support/script.js';

const AT = '2026-01-01T00:00:00Z';

const stored = (id: string, parentId: string | null, text: string, role = id.startsWith('u') ? 'user' : 'assistant'): StoredMessage => ({
  id,
  parentId,
  role,
  content: { id, role, parts: [{ type: 'text', text }] },
  createdAt: AT,
  updatedAt: AT,
});

function attached(fields: Partial<Attached> = {}): Attached {
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
function watched(fields: Partial<Attached> = {}) {
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

const chunk = (data: unknown, turn = 't'): SessionEvent => ({ kind: 'chunk', turn, seq: 0, data });
const delta = (text: string) => chunk({ type: 'text-delta', id: '0', delta: text });
const opened: SessionEvent = { kind: 'stream-opened', turn: 't', messageId: 'a1' };
const started: SessionEvent = { kind: 'turn-started', seq: 1, at: AT, turn: 't', messageId: 'a1', streaming: true };
const added = (message: StoredMessage, turn: string | null = null): SessionEvent => ({
  kind: 'message-added',
  seq: 2,
  at: AT,
  messageId: message.id,
  turn,
  message,
});
const ended: SessionEvent = { kind: 'turn-ended', seq: 3, at: AT, turn: 't', messageId: 'a1', outcome: 'completed' };

describe('cursors', () => {
  test('a frame that repeats what was applied is passed over, and does not lower the cursor [M31]', () => {
    const scene = watched();
    const frames: string[] = [];
    scene.client.watch('s', update => update.type === 'events' && frames.push(update.frame.cursor));
    scene.link.frame('s', 'c0', 'c1').frame('s', 'c1', 'c2').frame('s', 'c0', 'c1').frame('s', 'c1', 'c2');
    expect(frames).toEqual(['c1', 'c2']);
    expect(scene.view.state.cursor).toBe('c2');
    expect(scene.link.of('watch')).toHaveLength(1);
  });

  test('a frame that continues something else makes the client ask for the session from where it is', () => {
    const scene = watched();
    scene.link.frame('s', 'c0', 'c1').frame('s', 'c2', 'c3');
    expect(scene.view.state.cursor).toBe('c1');
    expect(scene.link.of('watch').at(-1)).toMatchObject({ session: 's', cursor: 'c1' });
    scene.link.frame('s', 'c3', 'c4'); // of what was before the answer
    scene.link.ok('watch', { attached: true }).attached('s', 'c1', false).frame('s', 'c1', 'c4');
    expect(scene.view.state.cursor).toBe('c4');
    expect(scene.link.of('watch')).toHaveLength(2);
  });

  test('gaps in a row are asked about after pauses that grow', () => {
    const scene = watched();
    scene.link.frame('s', 'x', 'y');
    expect(scene.link.of('watch')).toHaveLength(2);
    for (let i = 3, pause = 500; i < 7; i++, pause *= 2) {
      scene.link.ok('watch', { attached: true }).attached('s', 'c0', false).frame('s', 'x', 'y');
      scene.clock.advance(pause - 1);
      expect(scene.link.of('watch')).toHaveLength(i - 1);
      scene.clock.advance(1);
      expect(scene.link.of('watch')).toHaveLength(i);
    }
  });

  test('what comes before the answer to a watch belongs to what was before, and is dropped', () => {
    const scene = scripted();
    const link = scene.connect();
    const view = scene.client.watch('s');
    link.frame('s', 'x', 'y');
    expect(view.state.cursor).toBeNull();
    expect(link.of('watch')).toHaveLength(1);
  });

  test('a session that was granted and does not come is a lost connection', () => {
    const scene = scripted();
    const link = scene.connect();
    scene.client.watch('s');
    link.ok('watch', { attached: true });
    scene.clock.advance(15_000);
    expect(scene.client.state.status).toBe('waiting');
  });

  test('a watch that fails for the moment is a lost connection', () => {
    const scene = scripted();
    scene.connect().of('watch');
    scene.client.watch('s');
    scene.link.problem('watch', 503);
    expect(scene.client.state.status).toBe('waiting');
    scene.clock.advance(500);
    scene.link.welcome('conn-2');
    expect(scene.link.of('reconnect')[0]?.sessions).toEqual([{ session: 's' }]);
  });
});

describe('listeners', () => {
  test('a frame is applied as a whole, and the listener is asked before it holds', () => {
    const scene = watched();
    const seen: (string | null)[] = [];
    scene.client.watch('s', update => void seen.push(scene.view.state.cursor, update.state.cursor));
    scene.link.frame('s', 'c0', 'c1');
    expect(seen).toEqual(['c0', 'c1']);
  });

  test('a listener that throws loses nothing: the same comes again', () => {
    const scene = watched();
    let refuse = 2;
    const frames: string[] = [];
    scene.client.watch('s', update => {
      if (update.type === 'events') {
        if (refuse-- > 0) {
          throw new Error('not now');
        }
        frames.push(update.frame.cursor);
      }
    });
    scene.link.frame('s', 'c0', 'c1').frame('s', 'c1', 'c2');
    expect(scene.view.state).toMatchObject({ cursor: 'c0', turns: [] });
    scene.link.ok('watch', { attached: true }).attached('s', 'c0', false).frame('s', 'c0', 'c2');
    expect(scene.view.state.cursor).toBe('c0');
    scene.clock.advance(500);
    scene.link.ok('watch', { attached: true }).attached('s', 'c0', false).frame('s', 'c0', 'c2');
    expect(frames).toEqual(['c2']);
    expect(scene.view.state.cursor).toBe('c2');
    expect(scene.reports).toHaveLength(2);
  });

  test('what a subscriber throws is reported and keeps nothing from the others', () => {
    const scene = watched();
    const other = vi.fn();
    scene.view.subscribe(() => {
      throw new Error('mine');
    });
    scene.view.subscribe(other);
    scene.link.frame('s', 'c0', 'c1');
    expect(other).toHaveBeenCalledTimes(1);
    expect(scene.view.state.cursor).toBe('c1');
    expect(scene.reports).toHaveLength(1);
  });

  test('a view that was closed is told nothing, and the last one ends the watch', () => {
    const scene = watched();
    const listener = vi.fn();
    const second = scene.client.watch('s', listener);
    second.close();
    second.close();
    scene.link.frame('s', 'c0', 'c1');
    expect(listener).not.toHaveBeenCalled();
    expect(scene.link.types).toEqual(['watch']);
    scene.view.close();
    expect(scene.link.types).toEqual(['watch', 'unwatch']);
  });

  test('a session that is watched again right after its end is asked for when the end is answered', () => {
    const scene = watched();
    scene.view.close();
    const again = scene.client.watch('s');
    expect(scene.link.types).toEqual(['watch', 'unwatch']);
    scene.link.ok('unwatch', { watched: false }).message({ type: 'detached', session: 's', reason: 'unwatched' });
    expect(scene.link.types).toEqual(['watch', 'unwatch', 'watch']);
    scene.link.attached('s', 'n1');
    expect(again.state).toMatchObject({ status: 'attached', cursor: 'n1' });
  });

  test('one client watches 256 sessions, and says so at the next', () => {
    const { client } = scripted();
    for (let i = 0; i < 256; i++) {
      client.watch(`s${i}`);
    }
    expect(() => client.watch('one more')).toThrow(/at most 256/);
  });
});

describe('what a session is made of', () => {
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
});

describe('what the server says unasked', () => {
  test('a snapshot where the connection fell behind', () => {
    const scene = watched();
    scene.tell(started, opened, delta('H'));
    scene.link.message(attached({ why: 'too-old', cursor: 'n1', snapshot: { messages: [stored('u9', null, 'New')], truncated: false } }));
    scene.link.frame('s', 'n1', 'n2');
    expect(scene.texts()).toEqual(['New', 'n2']);
    expect(scene.view.state.cursor).toBe('n2');
  });

  test('that it cannot read a session now: it is asked again after a pause', () => {
    const scene = watched();
    scene.link.message({ type: 'detached', session: 's', reason: 'failed' });
    expect(scene.link.of('watch')).toHaveLength(1);
    scene.clock.advance(500);
    expect(scene.link.of('watch')[1]).toMatchObject({ cursor: 'c0' });
  });

  test('that a session was deleted', () => {
    const scene = watched();
    scene.link.message({ type: 'detached', session: 's', reason: 'deleted' });
    expect(scene.view.state).toMatchObject({ status: 'detached', reason: 'deleted' });
  });
});

describe('sessions that are not there', () => {
  test('a session that is not found is told as detached, once, and not asked for again', () => {
    const scene = scripted();
    const link = scene.connect();
    const updates: string[] = [];
    const view = scene.client.watch('s', update => void updates.push(update.type));
    link.problem('watch', 404, 'session-not-found');
    expect(view.state).toMatchObject({ status: 'detached', reason: 'not-found', problem: { status: 404 } });
    expect(updates).toEqual(['detached']);
    link.lose();
    scene.clock.advance(500);
    scene.link.welcome('conn-2');
    expect(scene.link.sent).toEqual([]);
  });

  test('a session that is made by a message is watched once the receipt is there', () => {
    const scene = scripted();
    const link = scene.connect();
    const view = scene.client.watch('s');
    link.problem('watch', 404).message({ type: 'detached', session: 's', reason: 'not-found' });
    void scene.client.send('s', { message: { id: 'm1', text: 'Hello' } }, { create: true });
    link.receipt('s', 'm1');
    expect(link.of('watch')).toHaveLength(2);
    link.ok('watch', { attached: true }).attached('s', 'c1');
    expect(view.state).toMatchObject({ status: 'attached', cursor: 'c1' });
    expect(view.state).not.toHaveProperty('reason');
  });

  test('a receipt that overtakes the answer that the session is not there makes the client ask again', () => {
    const scene = scripted();
    const link = scene.connect();
    const view = scene.client.watch('s');
    void scene.client.send('s', { message: { id: 'm1', text: 'Hello' } }, { create: true });
    link.receipt('s', 'm1').problem('watch', 404);
    expect(link.of('watch')).toHaveLength(2);
    link.message({ type: 'detached', session: 's', reason: 'not-found' }); // of the first
    link.ok('watch', { attached: true }).attached('s', 'c1');
    expect(view.state).toMatchObject({ status: 'attached', cursor: 'c1' });
  });

  test('sessions that cannot be watched do not keep others from it', () => {
    const scene = scripted();
    const views = ['a', 'b', 'c'].map(id => scene.client.watch(id));
    scene.client.connect();
    const problem = (status: number) => ({ type: 'urn:holdfast:problem:x', title: 'x', status, detail: 'x' });
    scene.link.welcome('conn-1').attached('a', 'a1');
    scene.link.ok('reconnect', {
      sessions: [
        { session: 'a', attached: true },
        { session: 'b', attached: false, problem: problem(403) },
        { session: 'c', attached: false, problem: problem(503) },
      ],
    });
    expect(scene.client.state.status).toBe('connected');
    expect(views.map(view => view.state.status)).toEqual(['attached', 'detached', 'waiting']);
    expect(scene.link.of('watch')).toEqual([]);
    scene.clock.advance(500);
    expect(scene.link.of('watch').map(each => each.session)).toEqual(['c']);
  });
});
