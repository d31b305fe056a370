// Three servers on one database behind a proxy that gives each request to the next of them: no client has a server of its own.

import assert from 'node:assert/strict';
import test from 'node:test';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { LEGACY } from './clients.mjs';
import { Network } from './network.mjs';
import { taskSession } from './tasks.mjs';

const SERVER = new URL(process.env.MCP_URL);
const SERVERS = 3;
const TO = 5;
const NUMBERS = Array.from({ length: TO }, (_, i) => String(i + 1));
const ELICITS = { capabilities: { elicitation: {} } };

const text = outcome => outcome.result.content[0].text;
const form = params => Object.keys(params.requestedSchema.properties)[0];
const user = async () => ({ action: 'accept', content: { username: 'ann', email: 'ann@example.org' } });

/** What the user of a task answers. */
const answer = params => ({
  action: 'accept',
  content: form(params) === 'confirm' ? { confirm: true } : { name: 'Alice' },
});

const answering = {
  'sdk-1': connected => connected.client.setRequestHandler(ElicitRequestSchema, user),
  'client-2': connected => connected.client.setRequestHandler('elicitation/create', user),
};

for (const [name, connect] of Object.entries(LEGACY)) {
  test(`nodes@ ${name} calls`, async () => {
    const client = await connect(SERVER);
    for (let i = 0; i < SERVERS; i++) {
      client.heard.length = 0;
      assert.equal(await client.call('count', { to: TO, pauseMillis: 5 }), `Counted to ${TO}.`);
      assert.deepEqual(client.heard, NUMBERS);
    }
    await client.close();
  });

  test(`nodes@ ${name} answers a question`, async () => {
    const client = await connect(SERVER, ELICITS);
    answering[name](client);
    for (let i = 0; i < SERVERS; i++) {
      assert.match(await client.call('test_elicitation', { message: 'Who?' }), /ann/);
    }
    await client.close();
  });

  test(`nodes@ ${name} resumes`, async () => {
    const wanted = said => said.includes('"method":"tools/call"') || said.includes('last-event-id:');
    const cuts = [2, 1, 1].map(frames => ({ frames, bytes: 30 }));
    const network = await new Network(SERVER, wanted, cuts).open();
    const client = await connect(network.url);
    assert.equal(await client.call('count', { to: TO, pauseMillis: 50 }), `Counted to ${TO}.`);
    assert.deepEqual(client.heard, NUMBERS);
    assert.ok(network.harmed >= 2, 'too little was cut');
    await client.close();
    network.close();
  });

  test(`nodes@ ${name} cancels`, async () => {
    const client = await connect(SERVER);
    const stopped = new AbortController();
    const call = client.call('count', { to: 2000, pauseMillis: 50 }, { signal: stopped.signal });
    await client.hears(2);
    stopped.abort();
    await assert.rejects(call);
    assert.equal(await client.call('count', { to: 1, pauseMillis: 1 }), 'Counted to 1.');
    await client.close();
  });
}

test('nodes@ tasks end as they should', async () => {
  const client = await taskSession(SERVER, answer);
  for (let i = 0; i < SERVERS; i++) {
    const computed = await client.call('slow_compute', { seconds: 0.5, label: `task ${i}` });
    assert.equal(text(computed), `task ${i}: computed for 0.5 seconds`);
  }
  await client.close();
});

test('nodes@ tasks ask, and are answered', async () => {
  const client = await taskSession(SERVER, answer);
  for (let i = 0; i < SERVERS; i++) {
    assert.equal(text(await client.call('confirm_delete', { filename: 'x.txt' })), 'Deleted x.txt');
    assert.equal(text(await client.call('multi_input')), 'Alice and Alice');
  }
  await client.close();
});

test('nodes@ a task is cancelled', async () => {
  const client = await taskSession(SERVER);
  for (let i = 0; i < SERVERS; i++) {
    const execution = await client.session.callTool('slow_compute', { seconds: 600 });
    await execution.cancel();
    const { outcome } = await execution.settle();
    assert.equal(outcome.status, 'cancelled');
  }
  await client.close();
});
