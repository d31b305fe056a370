// The transport of @ai-sdk/workflow, which comes back by itself with the number of the next chunk.

import assert from 'node:assert/strict';
import test from 'node:test';
import { WorkflowChatTransport } from '@ai-sdk/workflow/client';
import { BASE, lastText, load, openChat, release, text, until } from './chat.mjs';

const MAJOR = 7;

/** Passes on whole events, and breaks the stream when so many chunks of it have passed. */
function cutAfter(chunks, body, told) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let buffered = '';
  let passed = 0;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      buffered += done ? '' : decoder.decode(value, { stream: true });
      const events = buffered.split('\n\n');
      buffered = events.pop();
      for (const event of events) {
        if (passed === chunks) {
          break;
        }
        passed += /^data:/m.test(event) ? 1 : 0;
        controller.enqueue(encoder.encode(`${event}\n\n`));
      }
      if (passed === chunks) {
        await reader.cancel();
        controller.error(new TypeError('network error'));
        told();
      } else if (done) {
        controller.close();
      }
    },
    cancel: () => reader.cancel(),
  });
}

/**
 * A network that breaks one response after the other after so many chunks of it, and is whole from then on.
 *
 * @param before awaited before each request but the first
 */
function network(cuts, before = () => {}) {
  const asked = [];
  let broken = 0;
  const through = async (url, init) => {
    if (asked.length > 0) {
      await before();
    }
    asked.push(String(url));
    const response = await fetch(url, init);
    const chunks = cuts.shift();
    return chunks === undefined
      ? response
      : new Response(cutAfter(chunks, response.body, () => broken++), { status: response.status, headers: response.headers });
  };
  return { through, asked, broken: () => broken };
}

function openThrough(through) {
  return openChat(MAJOR, `chat-${crypto.randomUUID()}`, {
    transport: new WorkflowChatTransport({
      api: `${BASE}/api/chat`,
      fetch: through,
      prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({
        headers: { 'Content-Type': 'application/json', 'X-AI-SDK-Version': String(MAJOR) },
        body: { id, message: messages.at(-1), trigger, messageId },
      }),
    }),
  });
}

async function assertCanonical(chat) {
  assert.equal(chat.status, 'ready', String(chat.error));
  const { messages } = await load(chat.id);
  assert.deepEqual(
    chat.messages.map(message => [message.role, text(message)]),
    messages.map(message => [message.role, text(message)]));
  assert.equal(chat.messages.at(-1).id, messages.at(-1).id);
  assert.deepEqual(chat.messages.at(-1).metadata, messages.at(-1).metadata);
}

/** Where the client went on, each time. What passed right before the break may not have reached it. */
const startIndexes = asked => asked.slice(1).map(url => Number(new URL(url).searchParams.get('startIndex')));

test('workflow@7: a whole connection', async () => {
  const { through, asked } = network([]);
  const chat = openThrough(through);
  await chat.sendMessage({ text: 'hello' });
  assert.match(lastText(chat), /^Answer \d+ to: hello$/);
  assert.equal(asked.length, 1);
  await assertCanonical(chat);
});

/** `start`, `start-step`, `text-start` and two deltas come before the agent waits. */
for (const chunks of [1, 2, 3, 4, 5]) {
  test(`workflow@7: a connection that breaks after ${chunks} chunks of a turn that goes on`, async () => {
    const { through, asked } = network([chunks]);
    const chat = openThrough(through);
    const sent = chat.sendMessage({ text: 'wait' });
    await until(() => asked.length === 2 && lastText(chat) === 'one two ', 'the first half');
    await release();
    await sent;
    assert.equal(lastText(chat), 'one two three');
    const [index] = startIndexes(asked);
    assert.ok(index <= chunks, `${index} of ${chunks}`);
    await assertCanonical(chat);
  });
}

// @Tag("row-13")
test('workflow@7: connections that break one after the other', async () => {
  const { through, asked } = network([1, 2, 2]); // the transport gives up at the third in a row that it made itself
  const chat = openThrough(through);
  const sent = chat.sendMessage({ text: 'wait' });
  await until(() => asked.length === 4 && lastText(chat) === 'one two ', 'the first half');
  await release();
  await sent;
  assert.equal(lastText(chat), 'one two three');
  await assertCanonical(chat);
});

// @Tag("row-13")
test('workflow@7: away for longer than the turn', async () => {
  let chat;
  const { through, asked, broken } = network(
    [4], () => until(async () => !(await load(chat.id)).live, 'the outcome'));
  chat = openThrough(through);
  const sent = chat.sendMessage({ text: 'wait' });
  await until(() => broken() === 1, 'the break');
  await release();
  await sent;
  assert.equal(lastText(chat), 'one two three');
  assert.equal(asked.length, 2);
  await assertCanonical(chat);
});

/** The whole answer is on its way to the client, and lost there: the server knows of no lost connection. */
for (const chunks of [1, 3, 6, 8]) {
  test(`workflow@7: an answer of which only ${chunks} chunks arrived`, async () => {
    let chat;
    const { through, asked } = network([chunks], () => until(async () => !(await load(chat.id)).live, 'the outcome'));
    chat = openThrough(through);
    await chat.sendMessage({ text: 'hello' });
    assert.match(lastText(chat), /^Answer \d+ to: hello$/);
    assert.equal(asked.length, 2);
    await assertCanonical(chat);
  });
}
