import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { launch, Window } from './browser.mjs';
import { ask, BASE, load, PATIENCE_MS, text, until } from './chat.mjs';
import { Network } from '../shared/network.mjs';

/** How many events the model needs for an answer, and how many bring half of its text. */
const WHOLE = 11;
const HALF = 4;
const HALF_TEXT = /^Answer \d+ to: $/;
const WHOLE_TEXT = /^Answer \d+ to: .*\. That is all\.$/;

let browser;
let server;

before(async () => {
  browser = await launch();
  server = await ask('server/start');
});

after(() => browser?.close());

/** Lets the model produce so many events more. */
const produce = events => ask(`model/produce?events=${events}`);

const newId = () => `chat-${crypto.randomUUID()}`;

/** What a window shows is what the store has: each message once, in order, with the same text and outcome. */
async function assertCanonical(window, id, base) {
  const { messages, live } = await load(id, base);
  assert.equal(live, false);
  const shown = await window.messages();
  assert.deepEqual(
    shown.map(({ role, text: said }) => ({ role, text: said })),
    messages.map(message => ({ role: message.role, text: text(message) })));
  assert.equal(new Set(shown.map(message => message.id)).size, shown.length);
  const last = messages.at(-1);
  if (last.role === 'assistant') {
    assert.equal(shown.at(-1).id, last.id);
    assert.equal(shown.at(-1).status, last.metadata.holdfast.status);
  }
  assert.deepEqual(window.failures, []);
}

/** Plays a scene in a browser without a past, in the chat that it is given. */
function scene(major, name, play) {
  test(`react@${major}: ${name}`, async () => {
    const context = await browser.newContext();
    context.setDefaultTimeout(PATIENCE_MS);
    try {
      await play(context, newId());
    } finally {
      await context.close();
    }
  });
}

for (const major of [5, 6, 7]) {
  const open = (context, id, base = server) => Window.open(context, major, id, base);

  /** A window with half an answer. */
  async function begun(context, id, base) {
    const window = await open(context, id, base);
    await window.send('hello');
    await produce(HALF);
    await window.untilText(HALF_TEXT);
    return window;
  }

  scene(major, 'sends and streams', async (context, id) => {
    const window = await begun(context, id);
    assert.equal(await window.attribute('status'), 'streaming');
    await produce(WHOLE - HALF);
    await window.untilDone(WHOLE_TEXT);
    await window.send('again');
    await produce(WHOLE);
    await window.untilDone(/to: again\. That is all\.$/);
    assert.equal((await window.messages()).length, 4);
    await assertCanonical(window, id, server);
  });

  // @Tag("row-3") @Tag("row-5") @Tag("row-15")
  scene(major, 'reload and resume mid-turn', async (context, id) => {
    const window = await begun(context, id);
    await window.reload();
    assert.equal(await window.attribute('live'), 'true');
    await window.untilText(HALF_TEXT);
    await produce(1);
    await window.untilText(/to: hello$/);
    await window.reload();
    await window.untilText(/to: hello$/);
    await produce(WHOLE - HALF - 1);
    await window.untilDone(WHOLE_TEXT);
    await assertCanonical(window, id, server);
  });

  // @Tag("row-3") @Tag("S73")
  scene(major, 'two tabs', async (context, id) => {
    const first = await begun(context, id);
    const second = await open(context, id);
    await second.untilText(HALF_TEXT);
    await produce(WHOLE - HALF);
    for (const window of [first, second]) {
      await window.untilDone(WHOLE_TEXT);
      await assertCanonical(window, id, server);
    }
    await second.send('from the other tab');
    await produce(WHOLE);
    await second.untilDone(/to: from the other tab\. That is all\.$/);
    await first.reload();
    assert.equal(await first.attribute('live'), 'false');
    await assertCanonical(first, id, server);
    await assertCanonical(second, id, server);
  });

  // @Tag("row-9") @Tag("row-14")
  scene(major, 'stop', async (context, id) => {
    const first = await begun(context, id);
    const second = await open(context, id);
    await second.untilText(HALF_TEXT);
    await first.click('#stop');
    for (const window of [first, second]) {
      await window.untilDone(HALF_TEXT);
      assert.equal((await window.messages()).at(-1).status, 'stopped');
      await assertCanonical(window, id, server);
    }
    await ask('model/stopped'); // or it would take what the next scene produces
    await first.reload();
    await assertCanonical(first, id, server);
  });

  scene(major, 'regenerate', async (context, id) => {
    const window = await begun(context, id);
    await produce(WHOLE - HALF);
    await window.untilDone(WHOLE_TEXT);
    const before = (await window.messages()).at(-1);
    await window.click('#again');
    await produce(WHOLE);
    await until(async () => (await window.messages()).at(-1).id !== before.id, 'another answer');
    await window.untilDone(WHOLE_TEXT);
    assert.notEqual(await window.lastText(), before.text);
    assert.equal((await window.messages()).length, 2);
    await assertCanonical(window, id, server);
    await window.reload();
    await assertCanonical(window, id, server);
  });

  // @Tag("row-12")
  scene(major, 'a tool call that the page answers', async (context, id) => {
    const window = await open(context, id, BASE);
    await window.send('where');
    await window.untilDone(/^Looking\. Done\.$/);
    assert.equal(await window.attribute('calls'), '1');
    await assertCanonical(window, id, BASE);
    await window.reload();
    assert.equal(await window.attribute('calls'), '0');
    assert.deepEqual(
      await window.tools(),
      [{ tool: 'tool-where', state: 'output-available', output: '{"city":"Graz"}' }]);
    await assertCanonical(window, id, BASE);
  });

  // @Tag("row-7") @Tag("S70")
  scene(major, 'an error', async (context, id) => {
    const window = await open(context, id);
    await ask('model/refuse');
    await window.send('hello');
    await window.untilStatus('error');
    assert.match(await window.alert(), /400.*out of words/);
    assert.equal((await load(id, server)).turn.state, 'failed');
    await window.reload();
    assert.equal(await window.attribute('turn'), 'failed');
    await assertCanonical(window, id, server);
    await window.send('once more');
    await produce(WHOLE);
    await window.untilDone(/to: once more\. That is all\.$/);
    await assertCanonical(window, id, server);
  });

  // @Tag("row-1") @Tag("row-10") @Tag("recovery-attach")
  scene(major, 'the server is killed mid-turn and started again', async (context, id) => {
    const window = await begun(context, id);
    const seen = await window.lastText();
    await ask('server/kill');
    await window.untilStatus('error');
    assert.equal(await ask('server/start'), server);
    await window.reload();
    assert.equal(await window.attribute('live'), 'true');
    await window.untilText(HALF_TEXT);
    await produce(WHOLE - HALF);
    await window.untilDone(WHOLE_TEXT);
    assert.ok((await window.lastText()).startsWith(seen));
    await assertCanonical(window, id, server);
  });

  // @Tag("row-6")
  scene(major, 'offline for longer than the turn', async (context, id) => {
    const network = new Network(server);
    await network.up();
    const window = await begun(context, id, network.url);
    network.down();
    await window.untilStatus('error');
    await produce(WHOLE - HALF);
    await until(async () => !(await load(id, server)).live, 'the outcome');
    await network.up();
    await window.reload();
    assert.equal(await window.attribute('live'), 'false');
    assert.match(await window.lastText(), WHOLE_TEXT);
    await assertCanonical(window, id, server);
    await context.close();
    network.down();
  });
}

for (const major of [6, 7]) {
  scene(major, 'an approval, given after a reload', async (context, id) => {
    const window = await Window.open(context, major, id, BASE);
    await window.send('pay');
    await window.page.waitForSelector('.approve');
    await window.reload();
    assert.equal(await window.attribute('turn'), 'awaiting');
    await window.click('.approve');
    await window.untilDone(/^Looking\. Done\.$/);
    assert.deepEqual(await window.tools(), [{ tool: 'tool-pay', state: 'output-available', output: '"paid"' }]);
    await assertCanonical(window, id, BASE);
  });
}
