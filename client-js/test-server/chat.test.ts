import { afterEach, describe, expect, test } from 'vitest';
import type { Major } from '../src/ai/index.js';
import type { ClientOptions } from '../src/options.js';
import { clients, lastText, openChat, text } from '../test/support/chat.js';
import type { Chat, PageMessage } from '../test/support/chat.js';
import { BASE, Network, TRANSPORTS, ask, closeClients, newId, open, release, until } from './support.js';

afterEach(() => closeClients());

const WHOLE = 11;
const HALF = 4;

interface Loaded {
  messages: PageMessage[];
  live: boolean;
  turn: { state: string; error: string | null } | null;
}

/** A chat as a page loads it. */
async function load(id: string, base = BASE): Promise<Loaded> {
  const response = await fetch(`${base}/api/chat/${encodeURIComponent(id)}`);
  return (await response.json()) as Loaded;
}

/** What the page shows is what the store has: each message once, in order, with the same text. */
async function isCanonical(chat: Chat, base = BASE): Promise<void> {
  const { messages } = await load(chat.id, base);
  const shown = (each: PageMessage) => ({ role: each.role, text: text(each) });
  expect(chat.messages.map(shown)).toEqual(messages.map(shown));
  expect(chat.messages.at(-1)?.id).toBe(messages.at(-1)?.id);
  expect(chat.messages.at(-1)?.metadata?.holdfast?.status).toBe(messages.at(-1)?.metadata?.holdfast?.status);
}

const shows = (chat: Chat, expected: string) =>
  until(() => lastText(chat) === expected, () => [chat.status, String(chat.error), chat.messages]);

const isReady = (chat: Chat) => until(() => chat.status === 'ready', () => [chat.status, String(chat.error), chat.messages]);

const CASES = TRANSPORTS.flatMap(transport => ([5, 6, 7] as const).map(major => ({ transport, major })));

describe.each(CASES)('ai@$major over $transport', ({ transport, major }) => {
  const page = (options: Parameters<typeof openChat>[3] = {}, more: ClientOptions = {}, id = newId()) =>
    openChat(major, open({ transport, ...more }), id, options);

  /** A page that is loaded anew. */
  async function reloaded(id: string, options: Parameters<typeof openChat>[3] = {}) {
    const loaded = await load(id);
    return { loaded, chat: page({ messages: loaded.messages, ...options }, {}, id) };
  }

  test('sends and streams', async () => {
    const chat = page();
    await chat.sendMessage({ text: 'hello' });
    await chat.sendMessage({ text: 'again' });
    expect(chat).toMatchObject({ status: 'ready', error: undefined });
    expect(chat.messages).toHaveLength(4);
    expect(lastText(chat)).toMatch(/^Answer \d+ to: again$/);
    await isCanonical(chat);
  });

  test('a connection that is lost in the middle is no error', async () => {
    const network = await Network.to(BASE);
    const chat = page({}, { url: network.url });
    const sent = chat.sendMessage({ text: 'wait' });
    await shows(chat, 'one two ');
    network.down();
    network.up();
    await release();
    await sent;
    expect(chat).toMatchObject({ status: 'ready', error: undefined });
    expect(lastText(chat)).toBe('one two three');
    await isCanonical(chat);
    network.close();
  });

  test('away for longer than the turn', async () => {
    const network = await Network.to(BASE);
    const chat = page({}, { url: network.url });
    const sent = chat.sendMessage({ text: 'wait' });
    await shows(chat, 'one two ');
    network.down();
    await release();
    await until(async () => (await load(chat.id)).turn?.state === 'completed', () => chat.id);
    expect(chat.status).toBe('streaming');
    network.up();
    await sent;
    expect(chat).toMatchObject({ status: 'ready', error: undefined });
    await isCanonical(chat);
    network.close();
  });

  test('reload and resume, in two tabs', async () => {
    const gone = page();
    void gone.sendMessage({ text: 'wait' });
    await shows(gone, 'one two ');
    const { chat: first } = await reloaded(gone.id);
    const { chat: second, loaded } = await reloaded(gone.id);
    expect(loaded.live).toBe(true);
    const both = [first.resumeStream(), second.resumeStream()];
    await Promise.all([shows(first, 'one two '), shows(second, 'one two ')]);
    await release();
    await Promise.all(both);
    for (const chat of [first, second]) {
      expect(chat).toMatchObject({ status: 'ready', error: undefined });
      await isCanonical(chat);
    }
  });

  test('nothing to resume', async () => {
    const chat = page();
    await chat.resumeStream();
    expect(chat).toMatchObject({ status: 'ready', error: undefined, messages: [] });
    await chat.sendMessage({ text: 'hello' });
    const { chat: again } = await reloaded(chat.id);
    await again.resumeStream();
    expect(again).toMatchObject({ status: 'ready', error: undefined });
    await isCanonical(again);
  });

  test('stop', async () => {
    const client = open({ transport });
    const chat = openChat(major, client, newId());
    const sent = chat.sendMessage({ text: 'wait' });
    await shows(chat, 'one two ');
    expect(await client.stop(chat.id)).toMatchObject({ accepted: true });
    await sent;
    expect(chat).toMatchObject({ status: 'ready', error: undefined });
    expect(chat.messages.at(-1)?.metadata?.holdfast?.status).toBe('stopped');
    await isCanonical(chat);
  });

  test('regenerate and edit', async () => {
    const chat = page();
    await chat.sendMessage({ text: 'hello' });
    const first = chat.messages.at(-1);
    await chat.regenerate();
    expect(chat.messages).toHaveLength(2);
    expect(chat.messages.at(-1)?.id).not.toBe(first?.id);
    await isCanonical(chat);
    await chat.regenerate({ messageId: chat.messages.at(-1)?.id ?? '' });
    await isCanonical(chat);
    await chat.sendMessage({ text: 'edited', messageId: chat.messages[0]?.id ?? '' });
    expect(chat.messages).toHaveLength(2);
    expect(lastText(chat)).toMatch(/to: edited$/);
    await isCanonical(chat);
    await chat.regenerate();
    expect(lastText(chat)).toMatch(/to: edited$/);
    await isCanonical(chat);
  });

  test('a tool call that the page answers', async () => {
    let calls = 0;
    const chat: Chat = page({
      sendAutomaticallyWhen: clients[major].lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall }: { toolCall: { toolCallId: string } }) => {
        calls++;
        void chat.addToolOutput({ tool: 'where', toolCallId: toolCall.toolCallId, output: { city: 'Graz' } });
      },
    });
    await chat.sendMessage({ text: 'where' });
    await shows(chat, 'Looking. Done.');
    await isReady(chat);
    expect(calls).toBe(1);
    expect(chat.messages).toHaveLength(2);
    await isCanonical(chat);
  });

  test('a tool call answered after a reload, and a reload of what goes on', async () => {
    const asked = page();
    await asked.sendMessage({ text: 'where slowly' });
    const { loaded, chat } = await reloaded(asked.id, {
      sendAutomaticallyWhen: clients[major].lastAssistantMessageIsCompleteWithToolCalls,
    });
    expect(loaded.turn?.state).toBe('awaiting');
    void chat.addToolOutput({ tool: 'where', toolCallId: 'where-1', output: 'Graz' });
    await shows(chat, 'Looking. Done');
    let calls = 0;
    const again = await reloaded(asked.id, { onToolCall: () => void calls++ });
    const resumed = again.chat.resumeStream();
    await shows(again.chat, 'Looking. Done');
    await release();
    await resumed;
    await isReady(chat);
    expect(calls).toBe(0);
    await isCanonical(chat);
    await isCanonical(again.chat);
  });

  test('an error', async () => {
    const chat = page();
    await chat.sendMessage({ text: 'fail' });
    expect(chat.status).toBe('error');
    expect(chat.error?.message).toMatch(/the model is out/);
    expect(lastText(chat)).toBe('half');
    await isCanonical(chat);
  });

  test('the server is killed in the middle of an answer and started again', async () => {
    const base = await ask('server/start');
    const chat = page({}, { url: base });
    const sent = chat.sendMessage({ text: 'hello' });
    await ask(`model/produce?events=${HALF}`);
    await until(() => /^Answer \d+ to: $/.test(lastText(chat)), () => chat.messages);
    const seen = lastText(chat);
    await ask('server/kill');
    expect(await ask('server/start')).toBe(base);
    await ask(`model/produce?events=${WHOLE - HALF}`);
    await sent;
    expect(chat).toMatchObject({ status: 'ready', error: undefined });
    expect(lastText(chat)).toBe(`${seen}hello. That is all.`);
    await isCanonical(chat, base);
    await ask('server/kill');
  });

  const testApprovals = major > 5 ? test : () => undefined; // 5 knows none

  testApprovals('an approval, given after a reload', async () => {
    const asked = page();
    await asked.sendMessage({ text: 'pay' });
    const { chat } = await reloaded(asked.id, {
      sendAutomaticallyWhen: clients[major as Major].lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    const call = chat.messages.at(-1)?.parts.find(part => part.type === 'tool-pay');
    expect(call?.state).toBe('approval-requested');
    void chat.addToolApprovalResponse({ id: call?.approval?.id ?? '', approved: true });
    await shows(chat, 'Looking. Done.');
    await isReady(chat);
    await isCanonical(chat);
  });
});
