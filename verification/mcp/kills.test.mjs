// The server is killed and started again elsewhere, on the same folder, while clients call it.

import assert from 'node:assert/strict';
import test from 'node:test';
import { LEGACY } from './clients.mjs';
import { Network } from './network.mjs';
import { Stage } from './stage.mjs';

const TO = 6;
const numbers = to => Array.from({ length: to }, (_, i) => String(i + 1));
const SLOW = { to: TO, pauseMillis: 60 };
const FAST = { to: TO, pauseMillis: 1 };

/** A server of its own for each, behind a network that keeps its address. */
async function behindNetwork(name) {
  const stage = new Stage(name);
  const network = await new Network(await stage.start()).open();
  return { stage, network };
}

async function restart(stage, network) {
  await stage.kill();
  network.move(await stage.start());
}

/** The error that the call ended in. */
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
  assert.deepEqual(heard, numbers(heard.length));
}

/** The session goes on, without a new handshake. */
async function assertGoesOn(client, sessionId) {
  assert.equal(await client.call('test_simple_text'), 'This is a simple text response for testing.');
  assert.equal(client.sessionId, sessionId);
}

for (const [name, connect] of Object.entries(LEGACY)) {
  test(`kill@${name} a call that ran ends in one error, behind all that was stored`, async () => {
    const { stage, network } = await behindNetwork(`${name}-error`);
    const client = await connect(network.url);
    const { sessionId } = client;
    for (let behind = 1; behind < TO; behind += 2) {
      client.heard.length = 0;
      const error = errorOf(client.call('count', SLOW));
      await client.hears(behind);
      await restart(stage, network);
      const { code, message } = await error;
      assert.equal(code, -32603, message);
      assert.match(message, /stopped|restart/);
      assertBegin(client.heard, behind);
      await assertGoesOn(client, sessionId);
    }
    await client.close();
    network.close();
  });

  test(`kill@${name} a call that may run twice is run again on its stream`, async () => {
    const { stage, network } = await behindNetwork(`${name}-again`);
    const client = await connect(network.url);
    for (let behind = 1; behind < TO; behind += 2) {
      client.heard.length = 0;
      const answer = client.call('count_again', SLOW);
      await client.hears(behind);
      await restart(stage, network);
      assert.equal(await answer, `Counted to ${TO}.`);
      const first = client.heard.slice(0, -TO);
      assertBegin(first, behind);
      assert.deepEqual(client.heard.slice(-TO), numbers(TO));
    }
    await client.close();
    network.close();
  });

  test(`kill@${name} a call that was done while its client was away gives its answer`, async () => {
    const { stage, network } = await behindNetwork(`${name}-done`);
    const client = await connect(network.url);
    const answer = client.call('count', SLOW);
    await client.hears(1);
    network.down();
    // Another client's call of the same length ends after it.
    const other = await connect(new URL(await stage.start()));
    await other.call('count', SLOW);
    await other.close();
    await restart(stage, network);
    network.up();
    assert.equal(await answer, `Counted to ${TO}.`);
    assert.deepEqual(client.heard, numbers(TO));
    await client.close();
    network.close();
  });

  test(`kill@${name} a server that is killed between calls is not missed`, async () => {
    const { stage, network } = await behindNetwork(`${name}-between`);
    const client = await connect(network.url);
    const { sessionId } = client;
    for (let round = 0; round < 2; round++) {
      client.heard.length = 0;
      assert.equal(await client.call('count', FAST), `Counted to ${TO}.`);
      assert.deepEqual(client.heard, numbers(TO));
      await restart(stage, network);
      await assertGoesOn(client, sessionId);
    }
    await client.close();
    network.close();
  });
}
