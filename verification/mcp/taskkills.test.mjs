// The server is killed between each two requests about a task, and at random instants while tasks run.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Network } from './network.mjs';
import { Stage } from './stage.mjs';
import { call, cancel, get, taskSession, until, update } from './tasks.mjs';

const ROUNDS = Number(process.env.MCP_ROUNDS);
const SEED = Number(process.env.MCP_SEED);

const TERMINAL = ['completed', 'failed', 'cancelled'];
const accept = content => ({ action: 'accept', content });
const text = task => task.result.content[0].text;

async function failsWith(code, promise) {
  await assert.rejects(promise, error => error.code === code);
}

/** A task that ended does not change any more. */
function ended(task, what) {
  what(task);
  return async url => assert.deepEqual(await get(url, task.taskId), task);
}

function assertStopped(task) {
  assert.equal(task.status, 'failed', JSON.stringify(task));
  assert.equal(task.error.data.reason, 'server-restarted');
  assert.ok(!('result' in task));
}

const assertText = expected => task => {
  assert.equal(task.status, 'completed', JSON.stringify(task));
  assert.equal(text(task), expected);
};

/** Requests about a task, between each two of which the server is killed: it is resumed with the server's new address. */
const SCENES = {
  async *'one that must not run twice'(url) {
    const { taskId } = await call(url, 'slow_compute', { seconds: 600 });
    url = yield;
    const same = ended(await get(url, taskId), assertStopped);
    await same((url = yield));
    assert.equal((await cancel((url = yield), taskId)).resultType, 'complete');
    await same((url = yield));
  },

  async *'one that runs again'(url) {
    const { taskId } = await call(url, 'slow_compute_again', { seconds: 0.5, label: 'again' });
    url = yield;
    assert.equal((await get(url, taskId)).taskId, taskId);
    url = yield;
    const same = ended(await until(url, taskId, ...TERMINAL), assertText('again: computed for 0.5 seconds'));
    await same((url = yield));
    await cancel((url = yield), taskId);
    await same((url = yield));
  },

  async *'one that is cancelled'(url) {
    const { taskId } = await call(url, 'slow_compute_again', { seconds: 600 });
    url = yield;
    assert.equal((await get(url, taskId)).status, 'working');
    assert.equal((await cancel((url = yield), taskId)).resultType, 'complete');
    url = yield;
    const same = ended(await get(url, taskId), task => assert.equal(task.status, 'cancelled'));
    await same((url = yield));
  },

  async *'one that asks'(url) {
    const { taskId } = await call(url, 'confirm_delete', { filename: 'x.txt' });
    url = yield;
    const { inputRequests } = await until(url, taskId, 'input_required');
    const [key] = Object.keys(inputRequests);
    url = yield;
    assert.deepEqual((await get(url, taskId)).inputRequests, inputRequests);
    url = yield;
    assert.equal((await update(url, taskId, { [key]: accept({ confirm: true }) })).resultType, 'complete');
    url = yield;
    const same = ended(await until(url, taskId, ...TERMINAL), assertText('Deleted x.txt'));
    await same((url = yield));
  },

  async *'one that asks two things'(url) {
    const { taskId } = await call(url, 'multi_input');
    url = yield;
    const asked = Object.keys((await until(url, taskId, 'input_required')).inputRequests);
    assert.equal(asked.length, 2);
    url = yield;
    await update(url, taskId, { [asked[0]]: accept({ name: 'Alice' }) });
    url = yield;
    const left = await get(url, taskId);
    assert.deepEqual([left.status, Object.keys(left.inputRequests)], ['input_required', [asked[1]]]);
    url = yield;
    await update(url, taskId, { [asked[1]]: accept({ name: 'Bob' }) });
    url = yield;
    ended(await until(url, taskId, ...TERMINAL), assertText('Alice and Bob'));
  },

  async *'one that asks before it is a task'(url) {
    const asked = await call(url, 'test_tool_with_task');
    assert.equal(asked.resultType, 'input_required');
    url = yield;
    const inputResponses = { user_name: accept({ name: 'Alice' }) };
    const { taskId } = await call(url, 'test_tool_with_task', {}, { inputResponses });
    url = yield;
    const same = ended(await until(url, taskId, ...TERMINAL), assertText('Hello, Alice!'));
    await same((url = yield));
  },

  async *'one that was done'(url) {
    const { taskId } = await call(url, 'slow_compute', { seconds: 0, label: 'done' });
    const same = ended(await until(url, taskId, ...TERMINAL), assertText('done: computed for 0.0 seconds'));
    await same((url = yield));
    await same((url = yield));
  },

  async *'one that failed'(url) {
    const { taskId } = await call(url, 'protocol_error_job');
    const same = ended(await until(url, taskId, ...TERMINAL), task => {
      assert.deepEqual([task.status, task.error.code], ['failed', -32603]);
      assert.notEqual(task.error.data?.reason, 'restarted');
    });
    await same((url = yield));
  },

  async *'one that is not there'(url) {
    await failsWith(-32602, get(url, 'no-such-task'));
    url = yield;
    await failsWith(-32602, update(url, 'no-such-task', {}));
    url = yield;
    await failsWith(-32602, cancel(url, 'no-such-task'));
  },
};

test('taskkill@ between each two requests', async () => {
  const stage = new Stage('task-scenes');
  const url = await stage.start();
  let open = Object.entries(SCENES).map(([name, scene]) => ({ name, steps: scene(url) }));
  let at = url;
  for (let kills = 0; ; kills++) {
    const steps = await Promise.all(
      open.map(async ({ name, steps }) => {
        try {
          return await steps.next(at);
        } catch (e) {
          throw new Error(`${name}, after ${kills} kills: ${e.message}`, { cause: e });
        }
      }),
    );
    open = open.filter((_, i) => !steps[i].done);
    if (open.length === 0) {
      assert.equal(kills, 5);
      return;
    }
    await stage.kill();
    at = await stage.start();
  }
});

/** Numbers from 0 to 1, the same for the same seed. */
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** What may come of a task, by its tool. */
const OUTCOMES = {
  slow_compute: (task, args) =>
    task.status === 'failed' ? assertStopped(task) : assertText(`${args.label}: computed for ${args.seconds} seconds`)(task),
  slow_compute_again: (task, args) => assertText(`${args.label}: computed for ${args.seconds} seconds`)(task),
};

test(`taskkill@ at random instants, with seed ${SEED}`, async t => {
  const next = random(SEED);
  const stage = new Stage('task-random');
  let url = await stage.start();
  const settled = [];
  const seen = { completed: 0, failed: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const begun = [];
    const calls = Array.from({ length: 6 }, (_, i) => {
      const tool = i % 2 === 0 ? 'slow_compute' : 'slow_compute_again';
      const args = { seconds: Math.round(1 + next() * 300) / 1000, label: `${round}-${i}` };
      return new Promise(resolve => setTimeout(resolve, next() * 200))
        .then(() => call(url, tool, args))
        .then(({ taskId }) => begun.push({ taskId, tool, args }));
    });
    await Promise.any(calls); // a server that was just started takes its time
    await new Promise(resolve => setTimeout(resolve, next() * 400));
    await stage.kill();
    await Promise.allSettled(calls); // who was given no handle knows of no task
    url = await stage.start();
    for (const { taskId, tool, args } of begun) {
      const task = await until(url, taskId, ...TERMINAL);
      OUTCOMES[tool](task, args);
      seen[task.status]++;
      settled.push(task);
    }
    // What ended in earlier rounds is as it was.
    for (const task of settled) {
      assert.deepEqual(await get(url, task.taskId), task);
    }
  }
  t.diagnostic(JSON.stringify(seen));
  assert.ok(seen.completed > 0 && seen.failed > 0, JSON.stringify(seen));
});

test('taskkill@ the published client follows its task across a kill', async () => {
  const stage = new Stage('task-client');
  const network = await new Network(await stage.start()).open();
  const client = await taskSession(network.url, () => accept({ confirm: true }));
  // All of them have a handle before the kill: a call that was not answered yet has no task that could be followed.
  const running = await client.session.callTool('slow_compute_again', { seconds: 0.5, label: 'followed' });
  const asking = await client.session.callTool('confirm_delete', { filename: 'y.txt' });
  const stopped = await client.session.callTool('slow_compute', { seconds: 600 });
  await stage.kill();
  network.move(await stage.start());
  assert.equal(text((await running.settle()).outcome), 'followed: computed for 0.5 seconds');
  assert.equal(text((await asking.settle()).outcome), 'Deleted y.txt');
  assert.equal((await stopped.settle()).outcome.status, 'failed');
  await client.close();
  network.close();
});
