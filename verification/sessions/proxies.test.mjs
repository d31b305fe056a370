// What stands between a browser and its server.

import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { Network } from './network.mjs';
import { Nginx } from './nginx.mjs';
import { HALF, HALF_TEXT, kill, newId, produce, start, until, WHOLE, WHOLE_TEXT } from './stage.mjs';
import { launch, profile, Tab } from './tab.mjs';

/** So much of it that a few connections are needed for an answer. */
const LONG_QUESTION = 'why '.repeat(300).trim();

let browser;
let server;
let beating;
let nginx;

before(async () => {
  browser = await launch();
  server = await start('plain');
  beating = await start('beating', '--heartbeat', '500ms');
  nginx = await Nginx.start({
    usual: { way: 'usual', to: server },
    bare: { way: 'bare', to: server },
    impatient: { way: 'impatient', to: server },
    beating: { way: 'impatient', to: beating },
  });
});

after(async () => {
  await browser?.close();
  await nginx?.close();
});

/** Plays a scene with a tab and a session of its own, behind a network to this target with these options. */
function scene(name, transport, target, options, play) {
  test(`${transport}@proxy: ${name}`, async () => {
    const wire = await Network.to(target(), options);
    const context = await profile(browser);
    try {
      await play(await Tab.open(context, { server: wire.url, session: newId(), transport }), wire);
    } finally {
      await context.close();
      wire.close();
    }
  });
}

const through = way => () => ({ path: nginx.socket(way) });
const straight = () => ({ host: new URL(server).hostname, port: new URL(server).port });

async function begin(tab, question = 'hello') {
  await tab.send(question);
  await produce(HALF);
  await tab.untilText(HALF_TEXT);
}

for (const transport of ['websocket', 'sse']) {
  scene('nginx as its manual has it, whose buffers hold nothing back', transport, through('usual'), {}, async tab => {
    await begin(tab);
    assert.equal((await tab.shown()).transport, transport);
    for (const seen of [/hello$/, /hello\. $/, /That $/, /is $/, /all\.$/]) {
      await produce(1);
      await tab.untilText(seen);
    }
    await produce(WHOLE - HALF - 5);
    await tab.assertCanonical(server, WHOLE_TEXT);
  });

  scene('heartbeats keep nginx from cutting', transport, through('beating'), {}, async (tab, wire) => {
    await begin(tab);
    const { connection } = await tab.shown();
    const heartbeats = wire.messages('heartbeat');
    await until(() => wire.messages('heartbeat') >= heartbeats + 6, 'heartbeats');
    await produce(WHOLE - HALF);
    await tab.assertCanonical(beating, WHOLE_TEXT);
    assert.equal((await tab.shown()).connection, connection);
  });

  scene('nginx cuts what is silent for longer than it waits', transport, through('impatient'), {}, async tab => {
    await begin(tab);
    let { connection } = await tab.shown();
    connection = await tab.otherConnection(connection);
    await produce(1);
    await tab.untilText(/to: hello$/);
    await tab.otherConnection(connection);
    await produce(WHOLE - HALF - 1);
    await tab.assertCanonical(server, WHOLE_TEXT);
    assert.deepEqual(new Set((await tab.counted('answers')).slice(1)), new Set(['ok']));
  });

  scene('the server behind nginx is killed and started again', transport, through('usual'), {}, async tab => {
    await begin(tab);
    const { connection } = await tab.shown();
    await kill('plain');
    await tab.untilShown({ status: 'waiting' });
    assert.equal(await start('plain'), server);
    await tab.otherConnection(connection);
    await produce(WHOLE - HALF);
    await tab.assertCanonical(server, WHOLE_TEXT);
  });

  scene('connections that live for a second', transport, straight, { millis: 1000 }, async (tab, wire) => {
    await begin(tab);
    for (let produced = 0; produced < 3; produced++) {
      const cuts = wire.cuts;
      await until(() => wire.cuts > cuts, 'a cut');
      await produce(1);
    }
    await produce(WHOLE - HALF - 3);
    await tab.assertCanonical(server, WHOLE_TEXT);
  });

  scene('connections that carry few bytes', transport, straight, { bytes: 4000 }, async (tab, wire) => {
    await tab.send(LONG_QUESTION);
    await produce(WHOLE);
    await tab.assertCanonical(server, WHOLE_TEXT);
    assert.ok(wire.cuts > 0, `${wire.cuts} cuts`);
  });
}

scene('nginx without WebSockets, where SSE takes over', 'auto', through('bare'), {}, async tab => {
  await begin(tab);
  assert.equal((await tab.shown()).transport, 'sse');
  await produce(WHOLE - HALF);
  await tab.assertCanonical(server, WHOLE_TEXT);
  assert.equal((await tab.shown()).transport, 'sse');
});

scene('nginx with WebSockets, which are taken', 'auto', through('usual'), {}, async tab => {
  await begin(tab);
  assert.equal((await tab.shown()).transport, 'websocket');
  await produce(WHOLE - HALF);
  await tab.assertCanonical(server, WHOLE_TEXT);
});
