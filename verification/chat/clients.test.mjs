import assert from 'node:assert/strict';
import test from 'node:test';
import { BASE, ask, clients, lastText, load, openChat, release, stopTurn, text, transport, until } from './chat.mjs';

/** How many events the model behind the server process needs for an answer, and how many bring half of its text. */
const WHOLE = 11;
const HALF = 4;

/** Lets that model produce so many events more. */
const produce = events => ask(`model/produce?events=${events}`);

const newId = () => `chat-${crypto.randomUUID()}`;

/** What the page shows is what the store has: each message once, in order, with the same text. */
async function assertCanonical(chat, base) {
  const { messages } = await load(chat.id, base);
  const shown = chat.messages.map(message => ({ role: message.role, text: text(message) }));
  assert.deepEqual(shown, messages.map(message => ({ role: message.role, text: text(message) })));
  assert.equal(new Set(chat.messages.map(message => message.id)).size, chat.messages.length);
  const last = messages.at(-1);
  assert.equal(chat.messages.at(-1).id, last.id);
  if (last.role === 'assistant') {
    assert.equal(chat.messages.at(-1).metadata?.holdfast?.status, last.metadata.holdfast.status);
  }
}

async function beginWaiting(major, options) {
  const chat = openChat(major, newId(), options);
  const sent = chat.sendMessage({ text: 'wait' });
  await until(() => lastText(chat) === 'one two ', 'the first half');
  return { chat, sent };
}

/** A page that is loaded anew. */
async function reloaded(major, id, options) {
  const loaded = await load(id);
  return { loaded, chat: openChat(major, id, { messages: loaded.messages, ...options }) };
}

for (const major of [5, 6, 7]) {
  // @Tag("row-2")
  test(`ai@${major}: sends and streams`, async () => {
    const chat = openChat(major, newId());
    await chat.sendMessage({ text: 'hello' });
    await chat.sendMessage({ text: 'again' });
    assert.equal(chat.status, 'ready', String(chat.error));
    assert.equal(chat.messages.length, 4);
    assert.match(lastText(chat), /^Answer \d+ to: again$/);
    await assertCanonical(chat);
  });

  // @Tag("row-3") @Tag("row-5") @Tag("row-15") @Tag("S60") @Tag("S67") @Tag("S69") @Tag("S73")
  test(`ai@${major}: reload and resume mid-turn, in two tabs`, async () => {
    const { chat: gone } = await beginWaiting(major);
    await gone.stop(); // of this connection: the turn goes on
    const first = await reloaded(major, gone.id);
    const second = await reloaded(major, gone.id);
    assert.equal(first.loaded.live, true);
    const both = [first.chat.resumeStream(), second.chat.resumeStream()];
    await until(() => lastText(first.chat) === 'one two ' && lastText(second.chat) === 'one two ', 'the replay');
    await release();
    await Promise.all(both);
    for (const { chat } of [first, second]) {
      assert.equal(chat.status, 'ready', String(chat.error));
      assert.equal(lastText(chat), 'one two three');
      await assertCanonical(chat);
    }
  });

  // @Tag("row-5") @Tag("row-6") @Tag("S67")
  test(`ai@${major}: nothing to resume`, async () => {
    const chat = openChat(major, newId());
    await chat.resumeStream();
    assert.equal(chat.status, 'ready', String(chat.error));
    assert.deepEqual(chat.messages, []);
    await chat.sendMessage({ text: 'hello' });
    const { chat: again } = await reloaded(major, chat.id);
    await again.resumeStream();
    assert.equal(again.status, 'ready', String(again.error));
    await assertCanonical(again);
  });

  // @Tag("row-3") @Tag("row-6")
  test(`ai@${major}: offline for longer than the turn`, async () => {
    const { chat: gone } = await beginWaiting(major);
    await gone.stop();
    await release();
    await until(async () => !(await load(gone.id)).live, 'the outcome');
    const { loaded, chat } = await reloaded(major, gone.id);
    assert.equal(loaded.turn.state, 'completed');
    await chat.resumeStream();
    assert.equal(chat.status, 'ready', String(chat.error));
    assert.equal(lastText(chat), 'one two three');
  });

  // @Tag("row-9") @Tag("row-14") @Tag("S69")
  test(`ai@${major}: stop`, async () => {
    const { chat, sent } = await beginWaiting(major);
    assert.equal((await stopTurn(chat.id)).accepted, true);
    await sent;
    assert.equal(chat.status, 'ready', String(chat.error));
    assert.equal(lastText(chat), 'one two ');
    assert.equal(chat.messages.at(-1).metadata.holdfast.status, 'stopped');
    await assertCanonical(chat);
  });

  // @Tag("wire-branches")
  test(`ai@${major}: regenerate and edit`, async () => {
    const chat = openChat(major, newId());
    await chat.sendMessage({ text: 'hello' });
    const first = chat.messages.at(-1);
    await chat.regenerate();
    assert.equal(chat.messages.length, 2);
    assert.notEqual(chat.messages.at(-1).id, first.id);
    assert.notEqual(lastText(chat), text(first));
    await assertCanonical(chat);
    await chat.regenerate({ messageId: chat.messages.at(-1).id });
    await assertCanonical(chat);
    await chat.sendMessage({ text: 'edited', messageId: chat.messages[0].id });
    assert.equal(chat.messages.length, 2);
    assert.match(lastText(chat), /to: edited$/);
    await assertCanonical(chat);
    await chat.regenerate();
    assert.match(lastText(chat), /to: edited$/);
    await assertCanonical(chat);
  });

  // @Tag("row-12") @Tag("wire-calls")
  test(`ai@${major}: a tool call that the client answers`, async () => {
    let calls = 0;
    const chat = openChat(major, newId(), {
      sendAutomaticallyWhen: clients[major].lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall }) => {
        calls++;
        void chat.addToolOutput({ tool: 'where', toolCallId: toolCall.toolCallId, output: { city: 'Graz' } });
      },
    });
    await chat.sendMessage({ text: 'where' });
    await until(() => chat.status !== 'streaming' && lastText(chat) === 'Looking. Done.', 'the continuation');
    assert.equal(chat.status, 'ready', String(chat.error));
    assert.equal(calls, 1);
    assert.equal(chat.messages.length, 2);
    await assertCanonical(chat);
    const tools = (await load(chat.id)).messages.at(-1).parts.filter(part => part.type === 'tool-where');
    assert.deepEqual(tools.map(part => part.output), [{ city: 'Graz' }]);
  });

  // @Tag("row-12") @Tag("S65") @Tag("S72")
  test(`ai@${major}: a tool call answered after a reload, and a reload of what goes on`, async () => {
    const asked = openChat(major, newId());
    await asked.sendMessage({ text: 'where slowly' });
    assert.equal((await load(asked.id)).live, false);
    const { loaded, chat } = await reloaded(major, asked.id, {
      sendAutomaticallyWhen: clients[major].lastAssistantMessageIsCompleteWithToolCalls,
    });
    assert.equal(loaded.turn.state, 'awaiting');
    void chat.addToolOutput({ tool: 'where', toolCallId: 'where-1', output: 'Graz' });
    await until(() => lastText(chat) === 'Looking. Done', 'the first half of the continuation');
    let calls = 0;
    const again = await reloaded(major, asked.id, { onToolCall: () => void calls++ });
    const resumed = again.chat.resumeStream();
    await until(() => lastText(again.chat) === 'Looking. Done', 'the replay of the whole message');
    await release();
    await resumed;
    await until(() => chat.status === 'ready', 'the end');
    assert.equal(calls, 0);
    await assertCanonical(chat);
    await assertCanonical(again.chat);
  });

  // @Tag("row-7") @Tag("S70") @Tag("S64")
  test(`ai@${major}: an error`, async () => {
    const chat = openChat(major, newId());
    await chat.sendMessage({ text: 'fail' });
    assert.equal(chat.status, 'error');
    assert.match(chat.error.message, /the model is out/);
    assert.equal(lastText(chat), 'half');
    const loaded = await load(chat.id);
    assert.equal(loaded.turn.state, 'failed');
    assert.match(loaded.turn.error, /the model is out/);
    await assertCanonical(chat);
  });

  // @Tag("row-11") @Tag("wire-conflict")
  test(`ai@${major}: a duplicate POST, during the turn and after it`, async () => {
    const { chat, sent } = await beginWaiting(major);
    const messages = chat.messages.slice(0, 1);
    const repeat = async () => {
      const stream = await transport(major).sendMessages({
        chatId: chat.id, messages, trigger: 'submit-message', messageId: undefined, abortSignal: undefined,
      });
      let last;
      for await (const message of clients[major].readUIMessageStream({ stream })) {
        last = message;
      }
      return last;
    };
    const during = repeat();
    await release();
    await sent;
    for (const message of [await during, await repeat()]) {
      assert.equal(text(message), 'one two three');
      assert.equal(message.id, chat.messages.at(-1).id);
    }
    await assertCanonical(chat);
    const changed = [{ ...messages[0], parts: [{ type: 'text', text: 'something else' }] }];
    await assert.rejects(
      transport(major).sendMessages({ chatId: chat.id, messages: changed, trigger: 'submit-message' }),
      /another payload/);
  });

  // @Tag("row-5") @Tag("row-9") @Tag("wire-path")
  test(`ai@${major}: a path of the application's own`, async () => {
    const path = '/apps/support/talk';
    const { chat: gone } = await beginWaiting(major, { path });
    await gone.stop();
    const { messages, live } = await load(gone.id, BASE, path);
    assert.equal(live, true);
    const chat = openChat(major, gone.id, { messages, path });
    const resumed = chat.resumeStream();
    await until(() => lastText(chat) === 'one two ', 'the replay');
    assert.equal((await stopTurn(chat.id, BASE, path)).accepted, true);
    await resumed;
    assert.equal(chat.status, 'ready', String(chat.error));
    assert.equal(chat.messages.at(-1).metadata.holdfast.status, 'stopped');
    await chat.resumeStream(); // nothing is live
    await chat.sendMessage({ text: 'hello' });
    assert.match(lastText(chat), /to: hello$/);
    assert.equal(chat.messages.length, 4);
    await assertCanonical(chat);
  });

  // @Tag("row-1") @Tag("row-10") @Tag("S70") @Tag("recovery-continue")
  test(`ai@${major}: the server is killed mid-turn and started again`, async () => {
    const base = await ask('server/start');
    const chat = openChat(major, newId(), { base });
    const sent = chat.sendMessage({ text: 'hello' });
    await produce(HALF);
    await until(() => /^Answer \d+ to: $/.test(lastText(chat)), 'half of the answer');
    await ask('server/kill');
    await sent;
    assert.equal(chat.status, 'error');
    const seen = lastText(chat);
    assert.equal(await ask('server/start'), base);
    const loaded = await load(chat.id, base);
    const again = openChat(major, chat.id, { base, messages: loaded.messages });
    assert.equal(loaded.live, true);
    const resumed = again.resumeStream();
    await produce(WHOLE - HALF);
    await resumed;
    assert.equal(again.status, 'ready', String(again.error));
    assert.equal(lastText(again), `${seen}hello. That is all.`);
    await assertCanonical(again, base);
    await ask('server/kill');
  });
}

for (const major of [6, 7]) {
  // @Tag("row-8") @Tag("recovery-park")
  test(`ai@${major}: an approval, given after a reload`, async () => {
    const asked = openChat(major, newId());
    await asked.sendMessage({ text: 'pay' });
    const { chat } = await reloaded(major, asked.id, {
      sendAutomaticallyWhen: clients[major].lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    const call = chat.messages.at(-1).parts.find(part => part.type === 'tool-pay');
    assert.equal(call.state, 'approval-requested');
    void chat.addToolApprovalResponse({ id: call.approval.id, approved: true });
    await until(() => chat.status === 'ready' && lastText(chat) === 'Looking. Done.', 'the continuation');
    const paid = chat.messages.at(-1).parts.filter(part => part.type === 'tool-pay');
    assert.deepEqual(paid.map(part => part.output), ['paid']);
    await assertCanonical(chat);
  });
}
