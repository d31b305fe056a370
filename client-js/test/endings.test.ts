import { expect, test } from 'vitest';
import { scripted } from './support/script.js';

function start() {
  const scene = scripted();
  scene.client.connect();
  return scene;
}

test('silence for twice the time of a heartbeat is a lost connection', () => {
  const scene = start();
  scene.link.welcome('conn-1', 15_000);
  scene.clock.advance(29_999);
  scene.link.message({ type: 'heartbeat' });
  scene.clock.advance(29_999);
  expect(scene.client.state.status).toBe('connected');
  scene.clock.advance(1);
  expect(scene.client.state.status).toBe('waiting');
});

test('a connection without a welcome is given up', () => {
  const scene = start();
  scene.clock.advance(20_000);
  expect(scene.link.closed).toBe(true);
  expect(scene.client.state.status).toBe('waiting');
});

test.each(['rotation', 'draining'] as const)('a connection that ends for its %s is followed by another one when the server says so', reason => {
  const scene = start();
  const link = scene.link.welcome('conn-1');
  link.message({ type: 'rotate', reason, retryMillis: 2000 });
  scene.clock.advance(100);
  link.lose();
  expect(scene.client.state.status).toBe('waiting');
  scene.clock.advance(1899);
  expect(scene.links).toHaveLength(1);
  scene.clock.advance(1);
  expect(scene.links).toHaveLength(2);
});

test('a rotation is kept to also if the server does not end the connection', () => {
  const scene = start();
  const link = scene.link.welcome('conn-1').message({ type: 'rotate', reason: 'rotation', retryMillis: 2000 });
  expect(scene.client.state.status).toBe('connected');
  scene.clock.advance(2000);
  expect(link.closed).toBe(true);
  expect(scene.links).toHaveLength(2);
});

test('after a goodbye nothing comes back', () => {
  const scene = start();
  scene.link.welcome('conn-1').message({ type: 'goodbye', reason: 'left' });
  scene.clock.advance(100_000);
  scene.page.fire('online');
  expect(scene.client.state).toMatchObject({ status: 'ended', reason: 'left' });
  expect(scene.links).toHaveLength(1);
});

test.each([
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'refused'],
] as const)('an opening that is answered %i is the end: %s', (status, reason) => {
  const scene = start();
  scene.link.refuse(status);
  scene.clock.advance(100_000);
  scene.page.fire('visible');
  expect(scene.client.state).toMatchObject({ status: 'ended', reason });
  expect(scene.links).toHaveLength(1);
  scene.client.connect(); // someone signed in
  expect(scene.links).toHaveLength(2);
});

test.each([503, 429])('an opening that is answered %i is tried again after Retry-After, and not before', status => {
  const scene = start();
  scene.link.refuse(status, 7000);
  scene.page.fire('visible');
  scene.clock.advance(7499);
  expect(scene.links).toHaveLength(1);
  scene.clock.advance(1);
  expect(scene.links).toHaveLength(2);
});

test('leave says bye and does not wait for the answer', () => {
  const scene = start();
  scene.link.welcome('conn-1');
  scene.client.leave();
  expect(scene.link.last.map(each => each.type)).toEqual(['bye']);
  expect(scene.client.state.status).toBe('disconnected');
});
