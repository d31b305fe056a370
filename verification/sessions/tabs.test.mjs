// What tabs of a real browser go through.

import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { Network } from './network.mjs';
import {
  HALF, HALF_TEXT, kill, newId, ORIGIN, produce, start, startPayments, stored, until, WHOLE, WHOLE_TEXT,
} from './stage.mjs';
import { Desk, launch, profile, Tab } from './tab.mjs';

let browser;
let desk;
let server;
let rotating;
let payments;

before(async () => {
  browser = await launch();
  desk = await Desk.open();
  server = await start('plain');
  rotating = await start('rotating', '--rotate-after', '1s');
  payments = await startPayments();
});

after(async () => {
  await browser?.close();
  await desk?.close();
});

const outcome = session =>
  until(async () => (await stored(server, session)).at(-1).role === 'assistant', 'the outcome');

/** Plays a scene with a session of its own, and takes away the browsers and networks that it opened. */
const player = transport => (name, play) =>
  test(`${transport}@tab: ${name}`, async () => {
    const ends = [];
    const device = async () => {
      const context = await profile(browser);
      ends.push(() => context.close());
      return context;
    };
    const network = async () => {
      const { hostname: host, port } = new URL(server);
      const made = await Network.to({ host, port });
      ends.push(() => made.close());
      return made;
    };
    try {
      await play({ session: newId(), device, network });
    } finally {
      for (const end of ends) {
        await end();
      }
    }
  });

for (const transport of ['websocket', 'sse']) {
  const scene = player(transport);
  const open = (context, session, at = server) => Tab.open(context, { server: at, session, transport });

  /** A tab with half an answer. */
  async function begun(context, session, at) {
    const tab = await open(context, session, at);
    await tab.send('hello');
    await produce(HALF);
    await tab.untilText(HALF_TEXT);
    assert.equal((await tab.connected()).transport, transport);
    return tab;
  }

  scene('a reload in the middle of an answer [M43]', async ({ session, device }) => {
    const tab = await begun(await device(), session);
    await tab.reload();
    await tab.untilText(HALF_TEXT);
    await produce(1);
    await tab.untilText(/to: hello$/);
    await tab.reload();
    await tab.untilText(/to: hello$/);
    await produce(WHOLE - HALF - 1);
    await tab.assertCanonical(server, WHOLE_TEXT);
    assert.equal((await tab.messages()).length, 2);
    assert.equal((await tab.shown()).driver, 'you');
  });

  /** A tab with half an answer that another one covers, and whose server knows that it is hidden. */
  async function covered(session, network) {
    const wire = await network();
    const tab = await begun(desk.context, session, wire.url);
    const cover = await desk.cover();
    await until(
      async () => (await tab.sentOf('suspend')) === 1 && wire.messages('reply') === (await tab.counted('sent')).length,
      'the answer to the suspension');
    return { tab, cover };
  }

  scene('hidden for the rest of the turn, and shown again [M28] [M47]', async ({ session, network }) => {
    const { tab, cover } = await covered(session, network);
    const { connection } = await tab.shown();
    await produce(WHOLE - HALF);
    await outcome(session);
    assert.match((await tab.messages()).at(-1).text, HALF_TEXT); // what is suspended is told nothing
    await tab.page.bringToFront();
    await tab.assertCanonical(server, WHOLE_TEXT);
    assert.equal((await tab.shown()).connection, connection);
    assert.deepEqual([await tab.sentOf('suspend'), await tab.sentOf('resume')], [1, 1]);
    await cover.close();
    await tab.page.close();
  });

  /** Chromium closes the WebSockets of a page that it freezes, and keeps its responses. */
  scene('hidden and frozen for the rest of the turn', async ({ session, network }) => {
    const { tab, cover } = await covered(session, network);
    const lifecycle = await desk.context.newCDPSession(tab.page);
    await lifecycle.send('Page.setWebLifecycleState', { state: 'frozen' });
    await produce(WHOLE - HALF);
    await outcome(session);
    await lifecycle.send('Page.setWebLifecycleState', { state: 'active' });
    await tab.page.bringToFront();
    await tab.assertCanonical(server, WHOLE_TEXT);
    assert.equal(await tab.sentOf('suspend'), 1);
    await cover.close();
    await tab.page.close();
  });

  scene('another page, and back out of the cache', async ({ session, device }) => {
    const tab = await begun(await device(), session);
    const { connection } = await tab.shown();
    await tab.page.goto(`${ORIGIN}/elsewhere`);
    await produce(WHOLE - HALF);
    await outcome(session);
    await tab.page.goBack({ waitUntil: 'commit' });
    await tab.otherConnection(connection);
    assert.deepEqual(await tab.counted('shows'), [false, true]);
    await tab.assertCanonical(server, WHOLE_TEXT);
    assert.deepEqual(await tab.counted('answers'), ['new', 'ok']);
    await tab.send('again');
    await produce(WHOLE);
    await tab.assertCanonical(server, /to: again\. That is all\.$/);
  });

  scene('offline for longer than the turn [M15] [M77] [M78]', async ({ session, device, network }) => {
    const wire = await network();
    const context = await device();
    const tab = await begun(context, session, wire.url);
    await context.setOffline(true);
    wire.down();
    await tab.untilShown({ status: 'waiting' });
    await tab.send('typed while offline');
    await tab.untilShown({ unsent: '1' });
    await produce(WHOLE - HALF);
    await outcome(session);
    assert.match((await tab.messages()).at(-1).text, HALF_TEXT);
    wire.up();
    await context.setOffline(false);
    await tab.untilShown({ unsent: '0' });
    await produce(WHOLE);
    await tab.assertCanonical(server, /to: typed while offline\. That is all\.$/);
    const messages = await tab.messages();
    assert.equal(messages.length, 4);
    assert.match(messages[1].text, /to: hello\. That is all\.$/);
  });

  scene('a message that a reload finds unsent [M32]', async ({ session, device, network }) => {
    const wire = await network();
    const tab = await open(await device(), session, wire.url);
    await tab.untilShown({ status: 'connected' });
    wire.down();
    await tab.send('hello');
    await tab.untilShown({ unsent: '1' });
    await tab.reload();
    await tab.untilShown({ unsent: '1' });
    wire.up();
    await produce(WHOLE);
    await tab.assertCanonical(server, WHOLE_TEXT);
    assert.equal((await tab.messages()).length, 2);
  });

  scene('the server is killed mid-turn and started again', async ({ session, device }) => {
    const tab = await begun(await device(), session);
    const { connection } = await tab.shown();
    await kill('plain');
    await tab.untilShown({ status: 'waiting' });
    assert.equal(await start('plain'), server);
    await tab.otherConnection(connection);
    await produce(WHOLE - HALF);
    await tab.assertCanonical(server, WHOLE_TEXT);
    assert.deepEqual(await tab.counted('answers'), ['new', 'ok']);
  });

  scene('connections that the server replaces every second', async ({ session, device }) => {
    const tab = await begun(await device(), session, rotating);
    let { connection } = await tab.shown();
    for (let rotation = 0; rotation < 3; rotation++) {
      connection = await tab.otherConnection(connection);
      await produce(2);
    }
    await produce(WHOLE - HALF - 6);
    await tab.assertCanonical(rotating, WHOLE_TEXT);
    assert.deepEqual(new Set((await tab.counted('answers')).slice(1)), new Set(['ok']));
  });

  scene('another device takes over [M52] [M79]', async ({ session, device }) => {
    const first = await begun(await device(), session);
    const second = await open(await device(), session);
    await second.untilText(HALF_TEXT);
    await first.untilShown({ driver: 'you', displaced: 'false' });
    await second.untilShown({ driver: 'other' });
    await produce(WHOLE - HALF);
    await second.untilText(WHOLE_TEXT);
    await second.send('from here');
    await produce(WHOLE);
    await first.untilShown({ driver: 'other', displaced: 'true' });
    await second.untilShown({ driver: 'you', displaced: 'false' });
    for (const tab of [first, second]) {
      await tab.assertCanonical(server, /to: from here\. That is all\.$/);
    }
  });

  scene('an approval asked on one device is given on another', async ({ session, device }) => {
    const first = await open(await device(), session, payments);
    await first.send('pay');
    await first.page.waitForSelector('.approve');
    const second = await open(await device(), session, payments);
    await second.page.click('.approve');
    for (const tab of [first, second]) {
      await tab.assertCanonical(payments, /^Paid\.$/);
    }
  });

  scene('as many tabs as a browser lets have a connection each', async ({ session, device }) => {
    const context = await device();
    const tabs = [await begun(context, session)];
    const openTabs = async count => {
      while (tabs.length < count) {
        tabs.push(await open(context, session));
      }
    };
    if (transport === 'websocket') {
      await openTabs(7);
    } else {
      await openTabs(5); // over HTTP/1.1 the browser has six connections, and one is for what the tabs send
      await Promise.all(tabs.map(tab => tab.connected()));
      await openTabs(7);
      for (const tab of tabs.slice(5)) {
        assert.equal((await tab.shown()).session, 'waiting');
      }
      await Promise.all(tabs.splice(0, 2).map(tab => tab.page.close())); // and the other two go on
    }
    await Promise.all(tabs.map(tab => tab.connected()));
    await produce(WHOLE - HALF);
    for (const tab of tabs) {
      await tab.assertCanonical(server, WHOLE_TEXT);
    }
  });
}
