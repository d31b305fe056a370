import { describe, expect, test, vi } from 'vitest';
import { HoldfastChatTransport } from '../src/ai/index.js';
import type { Major } from '../src/ai/index.js';
import type { Attached, SessionEvent, StoredMessage } from '../src/protocol.js';
import { clients, lastText, openChat, text } from './support/chat.js';
import type { PageMessage } from './support/chat.js';
import { scripted } from './support/script.js';

const AT = '2026-01-01T00:00:00Z';

function storedMessage(id: string, parentId: string | null, parts: object[], status?: string): StoredMessage {
  const role = id.startsWith('a') ? 'assistant' : 'user';
  const metadata = status === undefined ? {} : { metadata: { holdfast: { status } } };
  return { id, parentId, role, content: { id, role, parts, ...metadata } as never, createdAt: AT, updatedAt: AT };
}

const words = (value: string) => ({ type: 'text', text: value, state: 'done' });

/** A chat whose session is watched; the network is the test's. */
function scene(major: Major, fields: Partial<Attached> = {}, options: Parameters<typeof openChat>[3] = {}) {
  const at = scripted();
  const first = at.connect();
  const chat = openChat(major, at.client, 'c', options);
  let cursors = 0;
  const attach = (link = at.link, more: Partial<Attached> = {}) =>
    link.message({
      type: 'attached',
      session: 'c',
      answer: 'snapshot',
      why: 'new',
      cursor: `c${cursors}`,
      snapshot: { messages: [], truncated: false },
      turns: [],
      driver: 'you',
      mode: null,
      closed: false,
      ...fields,
      ...more,
    });
  return {
    at,
    first,
    chat,
    attach,
    tell(...events: SessionEvent[]) {
      at.link.message({ type: 'events', session: 'c', from: `c${cursors}`, cursor: `c${++cursors}`, events });
    },
    /** Comes back with the cursor it had; the server has gone on from there. */
    comeBack(more: Partial<Attached> = {}) {
      at.link.lose();
      at.clock.advance(1000);
      const link = at.link.welcome(`conn-${at.links.length}`);
      link.reconnected();
      attach(link, { answer: 'ok', ...more });
      return link;
    },
  };
}

const chunk = (data: unknown, turn: string): SessionEvent => ({ kind: 'chunk', turn, seq: 0, data });

/** The events of a turn that answers with one text. */
function turn(id: string, messageId = 'a1') {
  return {
    opened: { kind: 'stream-opened', turn: id, messageId } as SessionEvent,
    begin: [{ type: 'start', messageId }, { type: 'start-step' }, { type: 'text-start', id: 't' }].map(each => chunk(each, id)),
    delta: (delta: string) => chunk({ type: 'text-delta', id: 't', delta }, id),
    end: [{ type: 'text-end', id: 't' }, { type: 'finish-step' }, { type: 'finish', finishReason: 'stop' }].map(each => chunk(each, id)),
    message: (value: string, parentId: string | null, status = 'completed'): SessionEvent => ({
      kind: 'message-added',
      seq: 1,
      at: AT,
      messageId,
      turn: id,
      message: storedMessage(messageId, parentId, [{ type: 'step-start' }, words(value)], status),
    }),
    ended: (outcome: 'completed' | 'stopped' | 'failed' | 'interrupted' = 'completed', reason?: string): SessionEvent => ({
      kind: 'turn-ended',
      seq: 2,
      at: AT,
      turn: id,
      messageId,
      outcome,
      ...(reason === undefined ? {} : { reason }),
    }),
  };
}

const until = (condition: () => void) => vi.waitFor(condition, { timeout: 100_000, interval: 2 });

/** Sends a message and has its turn begun. */
async function begun(major: Major, options: Parameters<typeof scene>[2] = {}) {
  const it = scene(major, {}, options);
  const sent = it.chat.sendMessage({ text: 'hello' });
  await until(() => expect(it.first.of('send')).toHaveLength(1));
  it.first.ok('watch', { attached: true });
  it.attach();
  const key = it.first.of('send')[0]?.turn.id as string;
  const answer = turn(key);
  it.first.ok('send', { session: 'c', turn: key, state: 'streaming', messageId: 'a1', started: true });
  it.tell(answer.opened, ...answer.begin, answer.delta('one '));
  await until(() => expect(lastText(it.chat)).toBe('one '));
  return { ...it, sent, key, answer };
}

describe.each([5, 6, 7] as const)('ai@%i', major => {
  test('sends, makes the chat, streams, and ends when the message is stored', async () => {
    const { chat, first, sent, answer, tell, key } = await begun(major);
    expect(first.of('send')[0]).toMatchObject({ session: 'c', create: true, turn: { message: { role: 'user' } } });
    expect(first.of('send')[0]?.turn.message?.content?.parts).toEqual([{ type: 'text', text: 'hello' }]);
    expect(chat.messages[0]?.id).toBe(key);
    tell(answer.delta('two'), ...answer.end);
    expect(chat.status).toBe('streaming');
    tell(answer.message('one two', key), answer.ended());
    await sent;
    expect(chat).toMatchObject({ status: 'ready', error: undefined });
    expect(lastText(chat)).toBe('one two');
    expect(chat.messages.at(-1)).toMatchObject({ id: 'a1', metadata: { holdfast: { status: 'completed' } } });
  });

  test('a connection that is lost in the middle is no error: the stream goes on', async () => {
    const { chat, sent, answer, comeBack, tell, key } = await begun(major);
    comeBack();
    expect(chat.status).toBe('streaming');
    tell(answer.delta('two'));
    await until(() => expect(lastText(chat)).toBe('one two'));
    comeBack();
    tell(...answer.end, answer.message('one two', key), answer.ended());
    await sent;
    expect(chat).toMatchObject({ status: 'ready', error: undefined });
    expect(lastText(chat)).toBe('one two');
    expect(chat.messages).toHaveLength(2);
  });

  test('a turn that ended while the page was away is told from its message [M77] [M78]', async () => {
    const { chat, sent, answer, comeBack, tell, key } = await begun(major);
    comeBack();
    tell(answer.message('one two three', key), answer.ended());
    await sent;
    expect(chat).toMatchObject({ status: 'ready', error: undefined });
    expect(lastText(chat)).toBe('one two three');
    expect(chat.messages.at(-1)?.parts.at(-1)).toMatchObject({ state: 'done' });
  });

  test('a page that was away for too long goes on from the snapshot and its replay', async () => {
    const { chat, sent, answer, comeBack, tell, key } = await begun(major);
    const user = storedMessage(key, null, [words('hello')]);
    comeBack({ answer: 'snapshot', why: 'too-old', snapshot: { messages: [user], truncated: false }, turns: [{ id: key, state: 'streaming', messageId: 'a1', pending: [] }] });
    tell(answer.opened, ...answer.begin);
    expect(lastText(chat)).toBe('one ');
    tell(answer.delta('on'));
    tell(answer.delta('e two '));
    await until(() => expect(lastText(chat)).toBe('one two '));
    tell(answer.delta('three'), ...answer.end);
    tell(answer.message('one two three', key), answer.ended());
    await sent;
    expect(chat).toMatchObject({ status: 'ready', error: undefined });
    expect(lastText(chat)).toBe('one two three');
    expect(chat.messages.at(-1)?.parts.filter(part => part.type === 'text')).toHaveLength(1);
  });

  test('a snapshot that has the finished message ends the stream', async () => {
    const { chat, sent, comeBack, key } = await begun(major);
    const messages = [storedMessage(key, null, [words('hello')]), storedMessage('a1', key, [{ type: 'step-start' }, words('one and all')], 'stopped')];
    comeBack({ answer: 'snapshot', why: 'too-old', snapshot: { messages, truncated: false } });
    await sent;
    expect(lastText(chat)).toBe('one and all');
    expect(chat.messages.at(-1)?.metadata?.holdfast?.status).toBe('stopped');
  });

  test('a turn that is begun anew goes on for 7, and is a lost connection for others, which read it anew', async () => {
    const { at, chat, sent, answer, tell, key } = await begun(major);
    tell(answer.opened, ...answer.begin, answer.delta('all '));
    let shown = chat;
    let done = sent;
    if (major < 7) {
      await sent;
      expect(chat.status).toBe('error');
      expect(chat.error?.message).toMatch(/begun anew/);
      // a chat of 5 keeps what it has read of a stream, so that it needs a new one, as after a reload
      shown = major === 5 ? openChat(5, at.client, 'c', { messages: chat.messages.slice(0, 1) }) : chat;
      done = shown.resumeStream();
    }
    await until(() => expect(lastText(shown)).toBe('all '));
    tell(answer.delta('new'), ...answer.end, answer.message('all new', key), answer.ended());
    await done;
    expect(shown).toMatchObject({ status: 'ready', error: undefined });
    expect(lastText(shown)).toBe('all new');
    expect(shown.messages).toHaveLength(2);
  });

  test('a stop is an end that keeps what came', async () => {
    const { chat, sent, answer, tell, key } = await begun(major);
    tell(answer.message('one ', key, 'stopped'), answer.ended('stopped', 'enough'));
    await sent;
    expect(chat.status).toBe('ready');
    expect(lastText(chat)).toBe('one ');
    expect(chat.messages.at(-1)?.metadata?.holdfast?.status).toBe('stopped');
  });

  test.each(['failed', 'interrupted'] as const)('a turn that %s is an error that keeps what came', async outcome => {
    const { chat, sent, answer, tell, key } = await begun(major);
    tell(answer.message('one ', key, outcome), answer.ended(outcome, 'the model is out'));
    await sent;
    expect(chat.status).toBe('error');
    expect(chat.error?.message).toBe('the model is out');
    expect(lastText(chat)).toBe('one ');
  });

  test('a message that is refused is an error with its reason', async () => {
    const { chat, first } = scene(major);
    const sent = chat.sendMessage({ text: 'hello' });
    await until(() => expect(first.of('send')).toHaveLength(1));
    first.problem('send', 409, 'turn-conflict');
    await sent;
    expect(chat.error?.message).toBe('It is a turn-conflict.');
  });

  test('stop() of the page only ends its reading, unless it is told to stop the turn', async () => {
    const reading = await begun(major);
    await reading.chat.stop();
    await reading.sent;
    expect(reading.chat.status).toBe('ready');
    expect(reading.first.of('stop')).toEqual([]);
    const stopping = await begun(major, { transport: { stopOnAbort: true } });
    await stopping.chat.stop();
    await stopping.sent;
    expect(stopping.first.of('stop')).toMatchObject([{ session: 'c', turn: stopping.key }]);
  });

  test('stop() before the message was sent takes it back', async () => {
    const at = scripted();
    const chat = openChat(major, at.client, 'c');
    const sent = chat.sendMessage({ text: 'hello' });
    await until(() => expect(at.client.outbox.entries).toHaveLength(1));
    await chat.stop();
    await sent;
    expect(at.client.outbox.entries).toEqual([]);
    expect(chat.status).toBe('ready');
  });

  test('a reloaded page resumes what is live, from its beginning', async () => {
    const user = storedMessage('u1', null, [words('hello')]);
    const it = scene(
      major,
      { snapshot: { messages: [user], truncated: false }, turns: [{ id: 'u1', state: 'streaming', messageId: 'a1', pending: [] }] },
      { messages: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'hello' }] }] },
    );
    const resumed = it.chat.resumeStream();
    await until(() => expect(it.first.of('watch')).toHaveLength(1));
    it.first.ok('watch', { attached: true });
    it.attach();
    const answer = turn('u1');
    it.tell(answer.opened, ...answer.begin, answer.delta('one '));
    await until(() => expect(lastText(it.chat)).toBe('one '));
    const other = openChat(major, it.at.client, 'c', { messages: it.chat.messages.slice(0, 1) });
    const both = other.resumeStream(); // in the middle
    await until(() => expect(lastText(other)).toBe('one '));
    it.tell(answer.delta('two'), ...answer.end, answer.message('one two', 'u1'), answer.ended());
    await Promise.all([resumed, both]);
    for (const chat of [it.chat, other]) {
      expect(chat).toMatchObject({ status: 'ready', error: undefined });
      expect(lastText(chat)).toBe('one two');
      expect(chat.messages).toHaveLength(2);
    }
  });

  test.each(['not-found', 'nothing live', 'awaiting'] as const)('there is nothing to resume: %s', async what => {
    const awaiting = { turns: [{ id: 'u1', state: 'awaiting' as const, messageId: 'a1', pending: [] }] };
    const { chat, first, attach } = scene(major, what === 'awaiting' ? awaiting : {});
    const resumed = chat.resumeStream();
    await until(() => expect(first.of('watch')).toHaveLength(1));
    if (what === 'not-found') {
      first.problem('watch', 404);
    } else {
      attach();
    }
    await resumed;
    expect(chat).toMatchObject({ status: 'ready', error: undefined, messages: [] });
  });

  test('regenerates an answer, and edits a message beside the one it replaces', async () => {
    const messages = [storedMessage('u1', null, [{ type: 'text', text: 'hello' }]), storedMessage('a1', 'u1', [words('Hi')], 'completed')];
    const it = scene(
      major,
      { snapshot: { messages, truncated: false } },
      { messages: messages.map(message => structuredClone(message.content) as unknown as PageMessage) },
    );
    const again = it.chat.regenerate();
    await until(() => expect(it.first.of('watch')).toHaveLength(1));
    it.attach();
    await until(() => expect(it.first.of('send')).toHaveLength(1));
    const regenerated = it.first.of('send')[0]?.turn;
    expect(regenerated).toMatchObject({ regenerate: major === 5 ? expect.any(String) : expect.any(String) });
    expect(['u1', 'a1']).toContain(regenerated?.regenerate);
    const key = regenerated?.id as string;
    const second = turn(key, 'a2');
    it.first.ok('send', { session: 'c', turn: key, state: 'streaming', messageId: 'a2', started: true });
    it.tell(second.opened, ...second.begin, second.delta('Hey'), ...second.end, second.message('Hey', 'u1'), second.ended());
    await again;
    expect(it.chat.messages.map(message => [message.id, text(message)])).toEqual([
      ['u1', 'hello'],
      ['a2', 'Hey'],
    ]);
    const edited = it.chat.sendMessage({ text: 'edited', messageId: 'u1' });
    await until(() => expect(it.first.of('send')).toHaveLength(2));
    const edit = it.first.of('send')[1]?.turn;
    expect(edit).toMatchObject({ message: { besideId: 'u1', content: { parts: [{ type: 'text', text: 'edited' }] } } });
    expect(edit?.id).toMatch(/^u1~[0-9a-f]{12}$/);
    const third = turn(edit?.id as string, 'a3');
    it.first.ok('send', { session: 'c', turn: edit?.id, state: 'streaming', messageId: 'a3', started: true });
    const beside = storedMessage(edit?.id as string, null, [{ type: 'text', text: 'edited' }]);
    it.tell({ kind: 'message-added', seq: 5, at: AT, messageId: beside.id, turn: null, message: beside });
    it.tell(third.opened, ...third.begin, third.delta('Ho'), ...third.end, third.message('Ho', beside.id), third.ended());
    await edited;
    expect(it.chat.messages.map(message => text(message))).toEqual(['edited', 'Ho']);
    void it.chat.regenerate();
    await until(() => expect(it.first.of('send')).toHaveLength(3));
    expect([beside.id, 'a3']).toContain(it.first.of('send')[2]?.turn.regenerate);
  });

  test('a call of a tool of the page is answered, and the turn goes on in the same message', async () => {
    let calls = 0;
    const it = scene(major, {}, {
      sendAutomaticallyWhen: clients[major].lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall }: { toolCall: { toolCallId: string } }) => {
        calls++;
        void it.chat.addToolOutput({ tool: 'where', toolCallId: toolCall.toolCallId, output: 'Graz' });
      },
    });
    const sent = it.chat.sendMessage({ text: 'where' });
    await until(() => expect(it.first.of('send')).toHaveLength(1));
    it.attach();
    const key = it.first.of('send')[0]?.turn.id as string;
    it.first.ok('send', { session: 'c', turn: key, state: 'streaming', messageId: 'a1', started: true });
    const answer = turn(key);
    const call = { toolCallId: 'w1', state: 'input-available', input: {} };
    const pending = [{ toolCallId: 'w1', toolName: 'where', approval: false }];
    it.tell(answer.opened, ...answer.begin, answer.delta('Looking.'), chunk({ type: 'text-end', id: 't' }, key));
    it.tell(chunk({ type: 'tool-input-available', toolCallId: 'w1', toolName: 'where', input: {} }, key), chunk({ type: 'finish-step' }, key));
    const parts = [{ type: 'step-start' }, words('Looking.'), { type: 'tool-where', ...call }];
    const message = storedMessage('a1', key, parts, 'awaiting');
    it.tell(
      { kind: 'message-added', seq: 1, at: AT, messageId: 'a1', turn: key, message },
      { kind: 'turn-awaiting', seq: 2, at: AT, turn: key, messageId: 'a1', pending },
    );
    await until(() => expect(it.first.of('answer')).toHaveLength(1));
    expect(it.first.of('answer')[0]).toMatchObject({ session: 'c', turn: key, answer: { toolCallId: 'w1', output: 'Graz' } });
    const answered = { type: 'tool-where', ...call, state: 'output-available', output: 'Graz' };
    const updated = storedMessage('a1', key, [...parts.slice(0, 2), answered], 'awaiting');
    it.tell({ kind: 'message-updated', seq: 3, at: AT, messageId: 'a1', turn: key, message: updated });
    it.first.ok('answer', { effect: 'applied', turn: key, state: 'streaming' });
    it.tell(answer.opened, chunk({ type: 'start', messageId: 'a1' }, key), chunk({ type: 'start-step' }, key));
    it.tell(chunk({ type: 'text-start', id: 'd' }, key), chunk({ type: 'text-delta', id: 'd', delta: ' Done.' }, key));
    const whole = [...parts.slice(0, 2), answered, { type: 'step-start' }, words(' Done.')];
    it.tell({ kind: 'message-updated', seq: 4, at: AT, messageId: 'a1', turn: key, message: storedMessage('a1', key, whole, 'completed') }, answer.ended());
    await sent;
    expect(it.chat).toMatchObject({ status: 'ready', error: undefined });
    expect(lastText(it.chat)).toBe('Looking. Done.');
    expect(it.chat.messages).toHaveLength(2);
    expect(it.chat.messages[1]?.metadata?.holdfast?.status).toBe('completed');
    expect(calls).toBe(1);
  });

  test('the same message again is answered from what is stored', async () => {
    const messages = [storedMessage('u1', null, [{ type: 'text', text: 'hello' }]), storedMessage('a1', 'u1', [{ type: 'step-start' }, words('Hi')], 'completed')];
    const it = scene(major, { snapshot: { messages, truncated: false } });
    const transport = new HoldfastChatTransport({ client: it.at.client, major });
    it.at.client.watch('c');
    it.attach();
    const stream = transport.sendMessages({
      trigger: 'submit-message',
      chatId: 'c',
      messageId: undefined,
      messages: [messages[0]?.content] as never,
      abortSignal: undefined,
    });
    await until(() => expect(it.first.of('send')).toHaveLength(1));
    it.first.ok('send', { session: 'c', turn: 'u1', state: 'completed', messageId: 'a1', started: false });
    const chunks: string[] = [];
    for await (const each of (await stream) as unknown as AsyncIterable<{ type: string }>) {
      chunks.push(each.type);
    }
    expect(chunks).toEqual(['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'message-metadata', 'finish']);
    transport.close();
  });
});

test('a client that has ended is an error with its reason', async () => {
  const { client, links } = scripted();
  client.connect();
  links[0]?.refuse(401);
  const chat = openChat(7, client, 'c');
  await chat.sendMessage({ text: 'hello' });
  expect(chat.error?.message).toBe('The server answered 401.');
  expect(client.outbox.entries).toEqual([]);
});

test('a major that is not known is refused', () => {
  const { client } = scripted();
  expect(() => new HoldfastChatTransport({ client, major: 8 as never })).toThrow(/5, 6 or 7/);
});
