import { expect, test } from 'vitest';
import { scripted, settled } from './support/script.js';

/** A client that watches sessions it has seen up to these cursors, and whose connection was cut; the next one is open. */
function cutWith(cursors: Record<string, string>) {
  const scene = scripted();
  const link = scene.connect();
  for (const [session, cursor] of Object.entries(cursors)) {
    scene.client.watch(session);
    link.ok('watch', { attached: true }).attached(session, cursor);
  }
  link.lose();
  scene.clock.advance(500);
  scene.states.length = 0;
  return scene;
}

const list = (cursors: Record<string, string>) =>
  Object.entries(cursors).map(([session, cursor]) => ({ session, cursor }));

test('is not connected before the welcome [M1]', () => {
  const { client, link, links } = start();
  expect(client.state.status).toBe('connecting');
  link.welcome('conn-1');
  expect(client.state.status).toBe('connected');
  expect(links).toHaveLength(1);
});

function start() {
  const scene = scripted();
  scene.client.connect();
  return scene;
}

test('a welcome gives the connection its id [M2]', () => {
  const { client, link } = start();
  link.welcome('conn-7');
  expect(client.state).toEqual({ status: 'connected', connection: 'conn-7', transport: 'sse' });
});

test('a lost connection is not connected, and comes back after half a second [M6] [M34]', () => {
  const scene = start();
  scene.link.welcome('conn-1').lose();
  expect(scene.states).toEqual(['connecting', 'connected', 'waiting']);
  scene.clock.advance(499);
  expect(scene.links).toHaveLength(1);
  scene.clock.advance(1);
  expect(scene.links).toHaveLength(2);
  scene.link.welcome('conn-2');
  expect(scene.client.state.status).toBe('connected');
});

test('a connection comes back with exactly what is watched and where it is [M7]', () => {
  const scene = cutWith({ a: 'a5', b: 'b9' });
  scene.link.welcome('conn-2');
  expect(scene.link.of('reconnect')[0]?.sessions).toEqual(list({ a: 'a5', b: 'b9' }));
});

test('the first welcome asks for what is watched already [M8]', () => {
  const scene = scripted();
  scene.client.watch('a');
  scene.client.connect();
  scene.link.welcome('conn-1');
  expect(scene.link.of('reconnect')[0]?.sessions).toEqual([{ session: 'a' }]);
  expect(scene.client.state.status).toBe('connecting');
  scene.link.reconnected();
  expect(scene.client.state.status).toBe('connected');
  expect(scene.link.types).toEqual(['reconnect']);
});

test('with nothing watched a connection is connected at once and asks for nothing [M9]', () => {
  const scene = cutWith({});
  scene.link.welcome('conn-2');
  expect(scene.client.state.status).toBe('connected');
  expect(scene.link.sent).toEqual([]);
});

test('is not connected while reconnect is under way [M10]', () => {
  const scene = cutWith({ a: 'a1' });
  scene.link.welcome('conn-2');
  expect(scene.client.state.status).toBe('connecting');
  scene.link.reconnected();
  expect(scene.client.state.status).toBe('connected');
});

test('a message goes after the success of reconnect, never before [M11]', () => {
  const scene = cutWith({ a: 'a1' });
  void scene.client.send('a', 'Hello');
  scene.link.welcome('conn-2');
  void scene.client.send('a', 'again');
  expect(scene.link.types).toEqual(['reconnect']);
  scene.link.reconnected();
  expect(scene.link.types).toEqual(['reconnect', 'send']);
});

test.each([500, 503, 404, 429])('a reconnect that is answered %i does not count, and is tried again on a new connection [M12] [M14]', status => {
  const scene = cutWith({ a: 'a1' });
  const failed = scene.link.welcome('conn-2').problem('reconnect', status);
  expect(scene.client.state.status).toBe('waiting');
  expect(failed.closed).toBe(true);
  scene.clock.advance(1000);
  scene.link.welcome('conn-3').reconnected();
  expect(scene.states).toEqual(['waiting', 'connecting', 'connected']);
});

test('a reconnect whose network fails does not count either [M13] [M14]', () => {
  const scene = cutWith({ a: 'a1' });
  scene.link.welcome('conn-2').unknown('reconnect');
  expect(scene.client.state.status).toBe('waiting');
  scene.clock.advance(1000);
  scene.link.welcome('conn-3').reconnected();
  expect(scene.client.state.status).toBe('connected');
});

test('a reconnect that is not answered in 15 seconds does not count', () => {
  const scene = cutWith({ a: 'a1' });
  scene.link.welcome('conn-2');
  scene.clock.advance(14_999);
  expect(scene.client.state.status).toBe('connecting');
  scene.clock.advance(1);
  expect(scene.client.state.status).toBe('waiting');
});

test('a message survives failed reconnects and goes after the one that succeeds [M15]', () => {
  const scene = cutWith({ a: 'a1' });
  void scene.client.send('a', 'Hello');
  scene.link.welcome('conn-2').problem('reconnect', 500);
  expect(scene.link.types).toEqual(['reconnect']);
  scene.clock.advance(1000);
  scene.link.welcome('conn-3').reconnected();
  expect(scene.link.types).toEqual(['reconnect', 'send']);
});

test('a retried reconnect has the cursors of then [M16]', () => {
  const scene = cutWith({ a: 'a1' });
  scene.link.welcome('conn-2').attached('a', 'a1', false).frame('a', 'a1', 'a2').problem('reconnect', 500);
  scene.clock.advance(1000);
  scene.link.welcome('conn-3');
  expect(scene.link.of('reconnect')[0]?.sessions).toEqual(list({ a: 'a2' }));
});

test('a retried reconnect leaves out what is not watched any more [M17]', () => {
  const scene = scripted();
  const link = scene.connect();
  const a = scene.client.watch('a');
  scene.client.watch('b');
  link.attached('a', 'a1').attached('b', 'b1').lose();
  scene.clock.advance(500);
  scene.link.welcome('conn-2').problem('reconnect', 500);
  a.close();
  scene.clock.advance(1000);
  scene.link.welcome('conn-3');
  expect(scene.link.of('reconnect')[0]?.sessions).toEqual(list({ b: 'b1' }));
});

test('when nothing is watched any more, a retry asks for nothing [M18]', () => {
  const scene = scripted();
  const link = scene.connect();
  const a = scene.client.watch('a');
  link.attached('a', 'a1').lose();
  scene.clock.advance(500);
  scene.link.welcome('conn-2').problem('reconnect', 500);
  a.close();
  scene.clock.advance(1000);
  scene.link.welcome('conn-3');
  expect(scene.link.sent).toEqual([]);
  expect(scene.client.state.status).toBe('connected');
});

test('what is watched anew while reconnect is under way is asked for right after it', () => {
  const scene = cutWith({ a: 'a1' });
  scene.link.welcome('conn-2');
  scene.client.watch('b');
  expect(scene.link.types).toEqual(['reconnect']);
  scene.link.reconnected();
  expect(scene.link.types).toEqual(['reconnect', 'watch']);
  expect(scene.link.of('watch')[0]).toMatchObject({ session: 'b' });
});

test('what is let go of while reconnect is under way is not watched after it', () => {
  const scene = scripted();
  const link = scene.connect();
  const a = scene.client.watch('a');
  link.attached('a', 'a1').lose();
  scene.clock.advance(500);
  scene.link.welcome('conn-2');
  a.close();
  scene.link.reconnected();
  expect(scene.link.types).toEqual(['reconnect', 'unwatch']);
});

test('after disconnect nothing fires, whatever is under way [M19]', async () => {
  const scene = cutWith({ a: 'a1' });
  const events: string[] = [];
  scene.client.outbox.listen(event => events.push(event.type));
  const send = scene.client.send('a', 'Hello');
  const link = scene.link.welcome('conn-2');
  scene.client.disconnect();
  const states = scene.states.length;
  events.length = 0;
  link.reconnected().frame('a', 'a1', 'a2');
  link.lose();
  scene.clock.advance(100_000);
  scene.page.fire('visible');
  await expect(send).rejects.toMatchObject({ code: 'closed' });
  await settled();
  expect(link.types).toEqual(['reconnect']);
  expect(scene.links).toHaveLength(2);
  expect(scene.states).toHaveLength(states);
  expect(events).toEqual([]);
  expect(scene.client.state.status).toBe('disconnected');
  expect(scene.clock.pending).toBe(0);
  expect(scene.page.listeners).toBe(0);
});

test('the answer to the first of two reconnects is ignored, the second one counts [M20]', () => {
  const scene = cutWith({ a: 'a1' });
  void scene.client.send('a', 'Hello');
  const first = scene.link.welcome('conn-2');
  first.lose();
  scene.clock.advance(1000);
  const second = scene.link.welcome('conn-3');
  first.reconnected();
  expect(scene.client.state.status).toBe('connecting');
  expect(second.types).toEqual(['reconnect']);
  second.reconnected();
  expect(scene.client.state.status).toBe('connected');
  expect(second.types).toEqual(['reconnect', 'send']);
});

test('the failure of the first of two reconnects is ignored as well [M20]', () => {
  const scene = cutWith({ a: 'a1' });
  const first = scene.link.welcome('conn-2');
  first.lose();
  scene.clock.advance(1000);
  scene.link.welcome('conn-3');
  first.problem('reconnect', 500);
  expect(scene.link.closed).toBe(false);
  scene.link.reconnected();
  expect(scene.client.state.status).toBe('connected');
});

test('two welcomes over one link: what was asked after the first is not answered any more [M20]', () => {
  const scene = cutWith({ a: 'a1' });
  const link = scene.link.welcome('conn-2');
  const asked = link.of('reconnect')[0];
  link.welcome('conn-3');
  link.ok(asked as never, { sessions: [{ session: 'a', attached: true }] });
  expect(scene.client.state.status).toBe('connecting');
  link.reconnected();
  expect(scene.client.state).toMatchObject({ status: 'connected', connection: 'conn-3' });
});

test('a connection that is opened anew while reconnect is under way makes its answer worth nothing [M21]', () => {
  const scene = cutWith({ a: 'a1' });
  const first = scene.link.welcome('conn-2');
  scene.clock.advance(5000);
  scene.page.fire('visible'); // in doubt: a probe
  scene.clock.advance(1000);
  expect(scene.links).toHaveLength(3);
  first.reconnected();
  expect(scene.client.state.status).toBe('connecting');
  scene.link.welcome('conn-3').reconnected();
  expect(scene.client.state).toMatchObject({ connection: 'conn-3' });
});

test('events are applied, and cursors go on, while reconnect is under way [M22]', () => {
  const scene = cutWith({ a: 'a1' });
  const view = scene.client.watch('a');
  scene.link.welcome('conn-2').attached('a', 'a1', false).frame('a', 'a1', 'a2');
  expect(scene.client.state.status).toBe('connecting');
  expect(view.state.cursor).toBe('a2');
});

test('events of a connection whose reconnect failed are not lost: they come again [M23]', () => {
  const scene = cutWith({ a: 'a1' });
  const view = scene.client.watch('a');
  const failed = scene.link.welcome('conn-2').problem('reconnect', 500);
  failed.attached('a', 'a1', false).frame('a', 'a1', 'a2');
  expect(view.state.cursor).toBe('a1'); // the connection was given up, and with it what it still brings
  scene.clock.advance(1000);
  scene.link.welcome('conn-3').attached('a', 'a1', false).frame('a', 'a1', 'a2').reconnected();
  expect(view.state.cursor).toBe('a2');
});

test('a connection that never was connected is not told as lost [M24]', () => {
  const scene = start();
  scene.link.lose();
  scene.clock.advance(500);
  scene.link.lose();
  expect(scene.states).not.toContain('connected');
  expect(scene.states).toEqual(['connecting', 'waiting', 'connecting', 'waiting']);
});

test('connect does nothing while there is a connection, or one is on its way [M25]', () => {
  const scene = start();
  scene.client.connect();
  scene.link.welcome('conn-1');
  scene.client.connect();
  expect(scene.links).toHaveLength(1);
});

test('failures in a row end with a success, after pauses that double up to ten seconds [M27]', () => {
  const scene = start();
  const pauses: number[] = [];
  for (let i = 0; i < 7; i++) {
    scene.link.lose();
    const state = scene.client.state;
    const pause = state.status === 'waiting' ? (state.pauseMillis ?? 0) : 0;
    pauses.push(pause);
    scene.clock.advance(pause);
  }
  expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  scene.link.welcome('conn-9');
  expect(scene.client.state.status).toBe('connected');
});

test('a connection that lasted lets the pauses begin small again', () => {
  const scene = start();
  scene.link.lose();
  scene.clock.advance(500);
  scene.link.welcome('conn-1');
  scene.clock.advance(10_000);
  scene.link.lose();
  expect(scene.client.state).toMatchObject({ pauseMillis: 500 });
});

test('a command before a welcome is no command [M30]', () => {
  const scene = start();
  const stopped = scene.client.stop('a');
  expect(scene.link.sent).toEqual([]);
  scene.link.welcome('conn-1').ok('stop', { accepted: true, turn: 't', state: 'streaming' });
  return expect(stopped).resolves.toMatchObject({ accepted: true });
});

test('a late end of an earlier link changes nothing [M36]', () => {
  const scene = start();
  const first = scene.link.welcome('conn-1');
  first.lose();
  scene.clock.advance(500);
  scene.link.welcome('conn-2');
  first.lose();
  first.message({ type: 'goodbye', reason: 'left' });
  expect(scene.client.state).toMatchObject({ status: 'connected', connection: 'conn-2' });
});

test('no flush happens twice [M32]', () => {
  const scene = cutWith({ a: 'a1' });
  void scene.client.send('a', 'Hello');
  const first = scene.link.welcome('conn-2');
  first.lose();
  scene.clock.advance(1000);
  const second = scene.link.welcome('conn-3').reconnected();
  first.reconnected();
  second.reconnected();
  expect(second.types).toEqual(['reconnect', 'send']);
});
