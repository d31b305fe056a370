// The published client of the Tasks extension, and the era of 2026-07-28 in which a cut request is a cancelled one.

import assert from 'node:assert/strict';
import test from 'node:test';
import { modern } from './clients.mjs';
import { Network } from './network.mjs';
import { taskSession } from './tasks.mjs';

const SERVER = new URL(process.env.MCP_URL);

const text = outcome => outcome.result.content[0].text;
const form = params => Object.keys(params.requestedSchema.properties)[0];

/** What the user answers. */
const answer = params => ({
  action: 'accept',
  content: form(params) === 'confirm' ? { confirm: true } : { name: 'Alice' },
});

test('tasks@ every tool ends as it should', async () => {
  const client = await taskSession(SERVER, answer);
  const greeting = await client.call('greet', { name: 'Bob' });
  assert.equal(greeting.kind, 'immediate');
  assert.equal(text(greeting), 'Hello, Bob!');
  const computed = await client.call('slow_compute', { seconds: 0.1, label: 'a' });
  assert.deepEqual([computed.kind, computed.status, text(computed)], ['task', 'completed', 'a: computed for 0.1 seconds']);
  const failing = await client.call('failing_job');
  assert.deepEqual([failing.status, failing.result.isError], ['completed', true]);
  const broken = await client.call('protocol_error_job');
  assert.deepEqual([broken.status, broken.error.code], ['failed', -32603]);
  assert.equal(text(await client.call('confirm_delete', { filename: 'x.txt' })), 'Deleted x.txt');
  assert.equal(text(await client.call('multi_input')), 'Alice and Alice');
  assert.equal(text(await client.call('test_tool_with_task')), 'Hello, Alice!');
  await client.close();
});

test('tasks@ a task is cancelled', async () => {
  const client = await taskSession(SERVER);
  const execution = await client.session.callTool('slow_compute', { seconds: 600 });
  await execution.cancel();
  const { outcome } = await execution.settle();
  assert.equal(outcome.status, 'cancelled');
  await client.close();
});

test('tasks@ a reference that was put away finds its task again', async () => {
  const first = await taskSession(SERVER);
  const begun = await first.session.callTool('slow_compute', { seconds: 0.5, label: 'later' });
  let reference;
  await begun.handoff(handed => {
    reference = JSON.parse(JSON.stringify(handed));
  });
  // It is not closed: this client cancels what it has handed over when it is.
  const second = await taskSession(SERVER);
  const execution = await second.session.resumeTask(reference);
  const { outcome } = await execution.settle();
  assert.equal(outcome.status, 'completed', JSON.stringify(outcome));
  assert.equal(text(outcome), 'later: computed for 0.5 seconds');
  await second.close();
});

test('tasks@ a client that cannot read what becomes of its task looks again', async () => {
  const cuts = [0, 1, 40, 120].map(bytes => ({ frames: 0, bytes }));
  const network = await new Network(SERVER, said => said.includes('"method":"tasks/get"'), cuts).open();
  const client = await taskSession(network.url);
  const outcome = await client.call('slow_compute', { seconds: 1, label: 'cut' });
  assert.equal(text(outcome), 'cut: computed for 1.0 seconds');
  assert.equal(network.harmed, cuts.length);
  await client.close();
  network.close();
});

test('tasks@ a call that is cut is not answered, since that cancels it', async () => {
  const cuts = [0, 1, 2, 3, 4].flatMap(frames => [0, 1, 30].map(bytes => ({ frames, bytes })));
  await Promise.all(
    cuts.map(async cut => {
      const network = await new Network(SERVER, said => said.includes('"method":"tools/call"'), [cut]).open();
      const client = await modern(network.url);
      // This client does not tell of the cut, and waits until its own patience ends.
      const options = { timeout: 2000, onprogress: () => {} };
      await assert.rejects(client.call('count', { to: 5, pauseMillis: 5 }, options));
      assert.equal(network.harmed, 1);
      // The next call is answered: there is no session that could have broken.
      assert.equal(await client.call('greet', { name: 'Bob' }), 'Hello, Bob!');
      await client.close();
      network.close();
    }),
  );
});

test('tasks@ the client speaks 2026-07-28, and streams', async () => {
  const client = await modern(SERVER);
  assert.equal(client.client.getProtocolEra(), 'modern');
  const heard = [];
  const onprogress = ({ progress }) => heard.push(progress);
  assert.equal(await client.call('count', { to: 5, pauseMillis: 1 }, { onprogress }), 'Counted to 5.');
  assert.deepEqual(heard, [1, 2, 3, 4, 5]);
  const { tools } = await client.client.listTools();
  assert.ok(tools.length > 20);
  const { contents } = await client.client.readResource({ uri: 'test://static-text' });
  assert.equal(contents[0].text, 'This is the content of the static text resource.');
  await client.close();
});
