// The server is killed and started again elsewhere, on the same folder, while clients call it.

import assert from 'node:assert/strict';
import test from 'node:test';
import { LEGACY } from './clients.mjs';
import { Network } from './network.mjs';
import { Stage } from './stage.mjs';

const TO = 6;
const SLOW = { to: TO, pauseMillis: 60 };
const DONE = `Counted to ${TO}.`;
const NUMBERS = Array.from({ length: TO }, (_, i) => String(i + 1));

const stage = new Stage('kills');
const network = await new Network(await stage.start()).open();

async function restart() {
  await stage.kill();
  network.move(await stage.start());
}

/** All clients, each with a session of its own. */
const connected = () => Promise.all(Object.values(LEGACY).map(connect => connect(network.url)));

const each = (clients, act) => Promise.all(clients.map(act));

async function errorOf(call) {
  try {
    await call;
  } catch (e) {
    return e;
  }
  throw new assert.AssertionError({ message: 'the call was answered' });
}

/** The begin of a count, once and in order. */
function assertBegin(heard, least) {
  assert.ok(heard.length >= least, `heard only ${heard}`);
  assert.deepEqual(heard, NUMBERS.slice(0, heard.length));
}

for (const behind of [1, 3, 5]) {
  test(`kill@ behind ${behind} messages: one error, or the call anew, behind all that was stored`, async () => {
    const once = await connected();
    const again = await connected();
    const sessions = once.map(client => client.sessionId);
    const errors = once.map(client => errorOf(client.call('count', SLOW)));
    const answers = again.map(client => client.call('count_again', SLOW));
    await each([...once, ...again], client => client.hears(behind));
    await restart();
    for (const { code, message, data } of await Promise.all(errors)) {
      assert.equal(code, -32603, message);
      assert.equal(data.reason, 'server-restarted');
    }
    once.forEach(client => assertBegin(client.heard, behind));
    assert.deepEqual(await Promise.all(answers), again.map(() => DONE));
    for (const { heard } of again) {
      assertBegin(heard.slice(0, -TO), behind);
      assert.deepEqual(heard.slice(-TO), NUMBERS);
    }
    // Their sessions go on, without a new handshake.
    await each(once, async client => {
      client.heard.length = 0;
      assert.equal(await client.call('count', SLOW), DONE);
      assert.deepEqual(client.heard, NUMBERS);
    });
    assert.deepEqual(once.map(client => client.sessionId), sessions);
    await each([...once, ...again], client => client.close());
  });
}

test('kill@ a call that was done while its client was away gives its answer', async () => {
  const clients = await connected();
  const answers = clients.map(client => client.call('count', SLOW));
  await each(clients, client => client.hears(1));
  network.down();
  // Another client's call of twice the length, made later, ends after theirs.
  const other = await LEGACY['sdk-1'](new URL(await stage.start()));
  await other.call('count', { ...SLOW, to: 2 * TO });
  await other.close();
  await restart();
  network.up();
  assert.deepEqual(await Promise.all(answers), clients.map(() => DONE));
  clients.forEach(client => assert.deepEqual(client.heard, NUMBERS));
  await each(clients, client => client.close());
});

test.after(() => network.close());
