import { expect, test } from 'vitest';
import { check } from './support/schema.js';
import { scripted } from './support/script.js';

test('commands beside the outbox wait for reconnect, as everything does', async () => {
  const scene = scripted();
  scene.client.watch('s');
  const results = [
    scene.client.stop('s', { turn: 't', reason: 'enough' }),
    scene.client.answer('s', 't', { toolCallId: 'call', output: 1 }),
    scene.client.setMode('s', 'ask'),
    scene.client.closeSession('s', 'done'),
  ];
  const link = scene.connect();
  expect(link.types).toEqual(['reconnect']);
  link.reconnected();
  expect(link.types).toEqual(['reconnect', 'stop', 'answer', 'mode', 'close']);
  link.ok('stop', { accepted: true, turn: 't', state: 'streaming' }).ok('answer', { effect: 'applied', turn: 't', state: 'streaming' });
  link.ok('mode', { mode: 'ask' }).ok('close', { accepted: false, reason: 'not the driver' });
  expect(await Promise.all(results)).toMatchObject([{ accepted: true }, { effect: 'applied' }, { mode: 'ask' }, { accepted: false }]);
});

test('a stop whose answer is lost is not sent again: its caller is told [M29]', async () => {
  const scene = scripted();
  const link = scene.connect();
  const stopped = scene.client.stop('s');
  link.lose();
  await expect(stopped).rejects.toMatchObject({ code: 'uncertain' });
  scene.clock.advance(500);
  scene.link.welcome('conn-2');
  expect(scene.link.sent).toEqual([]);
});

test('a stop that is refused tells why', async () => {
  const scene = scripted();
  const link = scene.connect();
  const stopped = scene.client.stop('s');
  link.problem('stop', 404, 'session-not-found');
  await expect(stopped).rejects.toMatchObject({ code: 'refused', message: 'It is a session-not-found.', problem: { status: 404 } });
});

test('a command that found no connection in time was not sent', async () => {
  const scene = scripted();
  scene.client.connect();
  const stopped = scene.client.stop('s');
  const patient = scene.client.stop('s', { waitMillis: 60_000 });
  scene.clock.advance(30_000);
  await expect(stopped).rejects.toMatchObject({ code: 'offline' });
  scene.link.welcome('conn-1');
  expect(scene.link.of('stop')).toHaveLength(1);
  scene.link.ok('stop', { accepted: false, turn: null, state: null });
  await expect(patient).resolves.toMatchObject({ accepted: false });
});

test('a command can be given up', async () => {
  const scene = scripted();
  const giveUp = new AbortController();
  const stopped = scene.client.stop('s', { signal: giveUp.signal });
  giveUp.abort();
  await expect(stopped).rejects.toMatchObject({ code: 'discarded' });
  await expect(scene.client.stop('s', { signal: giveUp.signal })).rejects.toMatchObject({ code: 'discarded' });
  expect(scene.connect().sent).toEqual([]);
});

test('a command over a connection that the server does not know makes the client come back', async () => {
  const scene = scripted();
  const link = scene.connect();
  const stopped = scene.client.stop('s');
  link.problem('stop', 404, 'connection-not-found');
  await expect(stopped).rejects.toMatchObject({ code: 'uncertain' });
  expect(scene.client.state.status).toBe('waiting');
});

test('100 commands wait at most', async () => {
  const scene = scripted();
  const all = Array.from({ length: 101 }, () => scene.client.stop('s'));
  await expect(all[100]).rejects.toMatchObject({ code: 'full' });
  scene.client.disconnect();
  await expect(Promise.any(all)).rejects.toBeInstanceOf(AggregateError);
});

test('a client that has ended takes no commands', async () => {
  const scene = scripted();
  scene.client.connect();
  scene.link.refuse(401);
  await expect(scene.client.stop('s')).rejects.toMatchObject({ code: 'closed' });
});

test('every command that the client can send is one of the protocol', async () => {
  const scene = scripted();
  const { client } = scene;
  client.watch('a');
  const view = client.watch('b');
  const link = scene.connect();
  link.reconnected().attached('a', 'a1').attached('b', 'b1');
  client.watch('c');
  view.close();
  const turn = { message: { content: { id: 'm', role: 'user', parts: [] }, parentId: 'p', besideId: 'b' } };
  void client.send(null, turn);
  void client.interrupt('a', { id: 'k', regenerate: 'x', policy: 'debounce', debounceMillis: 1, agent: 'demo', input: [1] }, { create: true });
  const settled = [
    client.stop('a'),
    client.stop('a', { turn: 't', reason: 'r' }),
    client.answer('a', 't', { toolCallId: 'c', approved: false, reason: 'no' }),
    client.setMode('a', 'm'),
    client.closeSession('a'),
    client.closeSession('a', 'r'),
  ];
  scene.page.fire('hidden');
  scene.page.fire('visible');
  link.ok('resume');
  client.leave();
  await Promise.allSettled(settled);
  const types = new Set([...link.types, ...link.last.map(command => command.type)]);
  expect([...types].sort()).toEqual(
    ['answer', 'bye', 'close', 'interrupt', 'mode', 'probe', 'reconnect', 'resume', 'send', 'stop', 'suspend', 'unwatch', 'watch'].sort(),
  ); // each was checked as it was sent; "switch" is what watch and unwatch are
  expect(() => check('ClientMessage', { type: 'watch', id: '', session: 's' })).toThrow(/no ClientMessage/);
});
