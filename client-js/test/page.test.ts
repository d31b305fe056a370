import { expect, test } from 'vitest';
import { scripted } from './support/script.js';

/** Connected, watching a session. */
function shown() {
  const scene = scripted();
  const link = scene.connect();
  const view = scene.client.watch('s');
  link.ok('watch', { attached: true }).attached('s', 'c1');
  link.sent.length = 0;
  return Object.assign(scene, { first: link, view });
}

test('a page that is hidden suspends its connection [M28]', () => {
  const { page, first } = shown();
  page.fire('hidden');
  expect(first.last.map(command => command.type)).toEqual(['suspend']);
});

test('with nothing watched there is nothing to suspend [M28]', () => {
  const scene = scripted();
  const link = scene.connect();
  scene.page.fire('hidden');
  expect(link.last).toEqual([]);
});

test('a page that is hidden while reconnect is under way suspends the new connection [M28]', () => {
  const scene = shown();
  scene.first.lose();
  scene.clock.advance(500);
  scene.link.welcome('conn-2');
  scene.page.fire('hidden');
  expect(scene.link.last.map(command => command.type)).toEqual(['suspend']);
});

test('a connection that comes back while the page is hidden is suspended as well [M28]', () => {
  const scene = shown();
  scene.page.fire('hidden');
  scene.first.lose();
  scene.clock.advance(500);
  scene.link.welcome('conn-2').ok('reconnect', { sessions: [{ session: 's', attached: true }] });
  expect(scene.link.last.map(command => command.type)).toEqual(['suspend']);
  scene.page.fire('visible');
  expect(scene.link.types).toContain('resume');
});

test('without a connection there is nobody to tell [M28]', () => {
  const scene = shown();
  scene.first.lose();
  scene.page.fire('hidden');
  expect(scene.first.last).toEqual([]);
});

test('a hiding that comes as two events suspends once, over one channel [M37]', () => {
  const { page, first } = shown();
  page.fire('hidden');
  page.fire('pagehide');
  expect(first.last.map(command => command.type)).toEqual(['suspend']);
  expect(first.sent).toEqual([]);
});

test('a page that is shown again resumes, and asks for a sign of life', () => {
  const { page, first, client, clock, environment } = shown();
  page.fire('hidden');
  page.fire('visible');
  expect(first.types).toEqual(['resume']);
  first.ok('resume');
  const probe = first.of('probe')[0];
  first.ok('probe').message({ type: 'probe', nonce: probe?.nonce ?? '' });
  clock.advance(60_000);
  expect(client.state).toMatchObject({ status: 'connected', connection: 'conn-1' });
  page.fire('hidden');
  expect(first.last).toHaveLength(2);
  expect(environment).toBeDefined();
});

test('a page is resumed after its suspension has arrived, which over SSE could overtake it [M37]', () => {
  const { page, first, clock, links } = shown();
  first.isSlow = true;
  page.fire('hidden');
  page.fire('visible');
  expect(first.sent).toEqual([]);
  first.arrived();
  expect(first.types).toEqual(['resume']);
  first.ok('resume');
  page.fire('hidden');
  page.fire('visible');
  clock.advance(1000); // it does not arrive
  expect(links).toHaveLength(2);
});

test.each(['an answer of resume', 'the nonce', 'the right nonce'] as const)('without %s within a second a new connection is opened', what => {
  const { page, first, links, clock } = shown();
  page.fire('hidden');
  page.fire('visible');
  if (what !== 'an answer of resume') {
    first.ok('resume').ok('probe');
  }
  if (what === 'the right nonce') {
    first.message({ type: 'probe', nonce: 'of another time' });
  }
  clock.advance(999);
  expect(links).toHaveLength(1);
  clock.advance(1);
  expect(links).toHaveLength(2);
  expect(first.closed).toBe(true);
});

test('a connection that the server has forgotten is replaced at once', () => {
  const { page, first, links } = shown();
  page.fire('hidden');
  page.fire('visible');
  first.problem('resume', 404, 'connection-not-found');
  expect(links).toHaveLength(2);
});

test('a connection that was heard a moment ago is not in doubt [M25]', () => {
  const { page, first, clock } = shown();
  clock.advance(900);
  page.fire('visible');
  page.fire('online');
  page.fire('pageshow');
  expect(first.sent).toEqual([]);
});

test.each(['visible', 'online', 'pageshow'] as const)('a connection that was not heard for a while is in doubt at %s', event => {
  const { page, first, clock } = shown();
  clock.advance(5000);
  page.fire(event);
  page.fire(event); // one probe at a time
  expect(first.types).toEqual(['probe']);
});

test.each(['visible', 'online', 'pageshow'] as const)('at %s a client that waits comes back at once', event => {
  const scene = shown();
  scene.first.lose();
  scene.page.fire(event);
  expect(scene.links).toHaveLength(2);
  scene.clock.advance(500);
  expect(scene.links).toHaveLength(2);
});

test('without a network a connection has a second to show that it lives all the same', () => {
  const { page, first, links, clock, client } = shown();
  page.fire('offline');
  page.fire('offline'); // one probe at a time
  expect(first.types).toEqual(['probe']);
  first.message({ type: 'probe', nonce: first.of('probe')[0]?.nonce ?? '' });
  clock.advance(5000);
  expect(client.state.status).toBe('connected');
  page.fire('offline');
  clock.advance(1000);
  expect(links).toHaveLength(2);
  expect(client.state.status).toBe('connecting');
});

test('a network that is back while the page is hidden does not resume it', () => {
  const { page, first, clock } = shown();
  page.fire('hidden');
  clock.advance(5000);
  page.fire('online');
  expect(first.sent).toEqual([]);
});

test('a page in the browser\'s cache has no connection, and comes back with where it was', () => {
  const scene = shown();
  scene.page.fire('pagehide', true);
  expect(scene.first.last.map(command => command.type)).toEqual(['suspend']);
  expect(scene.first.closed).toBe(true);
  scene.clock.advance(3_600_000);
  expect(scene.links).toHaveLength(1);
  scene.page.fire('pageshow', true);
  scene.link.welcome('conn-2');
  expect(scene.link.of('reconnect')[0]?.sessions).toEqual([{ session: 's', cursor: 'c1' }]);
});

test('a page that is hidden twice, with a new connection in between, suspends each [M28]', () => {
  const scene = shown();
  scene.page.fire('hidden');
  scene.first.lose();
  scene.clock.advance(500);
  scene.link.welcome('conn-2').reconnected();
  scene.page.fire('pagehide');
  expect(scene.link.last.map(command => command.type)).toEqual(['suspend']);
});
