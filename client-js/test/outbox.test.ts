import { expect, test } from 'vitest';
import type { OutboxEntry } from '../src/outbox-entry.js';
import { scripted, settled } from './support/script.js';

function scene() {
  const made = scripted();
  const events: string[] = [];
  made.client.outbox.listen(event => events.push(`${event.type} ${event.entry.key}`));
  const send = (key: string) => made.client.send('s', { message: { id: key, text: `text of ${key}` } });
  const states = () => made.client.outbox.entries.map(entry => `${entry.key} ${entry.status}`);
  const sent = () => made.link.of('send').map(command => command.turn.id);
  return Object.assign(made, { events, send, statuses: states, sentKeys: sent });
}

test('messages that are sent before the welcome wait, and go in order, one after the other [M3]', async () => {
  const at = scene();
  const receipts = ['m1', 'm2', 'm3'].map(key => at.send(key));
  const link = at.connect();
  expect(at.sentKeys()).toEqual(['m1']);
  at.client.outbox.retry('m2'); // nothing to retry, and nothing sent
  void at.send('m4');
  expect(at.sentKeys()).toEqual(['m1']);
  at.client.outbox.discard('m4');
  link.receipt('s', 'm1');
  link.receipt('s', 'm2');
  link.receipt('s', 'm3');
  expect(at.sentKeys()).toEqual(['m1', 'm2', 'm3']);
  expect((await Promise.all(receipts)).map(receipt => receipt.turn)).toEqual(['m1', 'm2', 'm3']);
  expect(at.client.outbox.entries).toEqual([]);
  expect(at.events.filter(event => !event.endsWith('m4'))).toEqual(
    ['pending m1', 'pending m2', 'pending m3', 'accepted m1', 'accepted m2', 'accepted m3'],
  );
});

test('100 messages wait at most, and the next is refused: none is dropped [M4]', () => {
  const at = scene();
  for (let i = 0; i < 100; i++) {
    void at.send(`m${i}`);
  }
  expect(() => at.send('one more')).toThrow(/100 messages wait already/);
  expect(at.client.outbox.entries).toHaveLength(100);
  expect(at.client.outbox.entries[0]?.key).toBe('m0');
});

test('what was discarded is not sent [M5]', async () => {
  const at = scene();
  const receipt = at.send('m1');
  void at.send('m2');
  at.client.outbox.clear();
  at.connect();
  expect(at.link.sent).toEqual([]);
  await expect(receipt).rejects.toMatchObject({ code: 'discarded' });
});

test.each([429, 500, 502, 503])('a message that is answered %i is sent again under the same key, after pauses that double', status => {
  const at = scene();
  void at.send('m1');
  void at.send('m2');
  const link = at.connect();
  for (const pause of [1000, 2000, 4000, 8000, 10_000, 10_000]) {
    link.problem('send', status);
    const before = at.sentKeys().length;
    at.clock.advance(pause - 1);
    expect(at.sentKeys()).toHaveLength(before);
    at.clock.advance(1);
    expect(at.sentKeys()).toHaveLength(before + 1);
  }
  expect(new Set(at.sentKeys())).toEqual(new Set(['m1']));
  link.receipt('s', 'm1');
  expect(at.sentKeys().at(-1)).toBe('m2');
});

test('a pause that the server asks for is kept to', () => {
  const at = scene();
  void at.send('m1');
  const link = at.connect();
  const { command, answered } = link.sent[0]!;
  const problem = { type: 'x', title: 'x', status: 429, detail: 'x', retryAfterSeconds: 30 };
  answered({ type: 'reply', id: command.id, status: 429, problem });
  at.clock.advance(29_999);
  expect(at.sentKeys()).toHaveLength(1);
  at.clock.advance(1);
  expect(at.sentKeys()).toHaveLength(2);
});

test('without an answer in 15 seconds a message is uncertain, and is sent again', () => {
  const at = scene();
  void at.send('m1');
  at.connect();
  expect(at.statuses()).toEqual(['m1 sending']);
  at.clock.advance(15_000);
  expect(at.statuses()).toEqual(['m1 uncertain']);
  at.clock.advance(1000);
  expect(at.sentKeys()).toEqual(['m1', 'm1']);
  at.link.receipt('s', 'm1');
  expect(at.events).toEqual(['pending m1', 'uncertain m1', 'accepted m1']);
});

test.each([{}, { session: 's' }, { session: 's', turn: 'another', state: 'streaming' }])('what is no receipt of the message is no answer: %j', result => {
  const at = scene();
  void at.send('m1');
  at.connect().ok('send', result);
  expect(at.statuses()).toEqual(['m1 uncertain']);
  at.clock.advance(1000);
  expect(at.sentKeys()).toEqual(['m1', 'm1']);
});

test.each([400, 403, 404, 409, 413, 422])('a message that is answered %i fails, stays to be seen, and the next one goes', async status => {
  const at = scene();
  const failed = at.send('m1');
  void at.send('m2');
  const link = at.connect().problem('send', status);
  await expect(failed).rejects.toMatchObject({ code: 'refused', problem: { status } });
  expect(at.statuses()).toEqual(['m1 failed', 'm2 sending']);
  link.receipt('s', 'm2');
  at.client.outbox.retry('m1');
  link.receipt('s', 'm1');
  expect(at.client.outbox.entries).toEqual([]);
});

test('a connection that the server does not know fails no message', () => {
  const at = scene();
  void at.send('m1');
  at.connect().problem('send', 404, 'connection-not-found');
  expect(at.client.state.status).toBe('waiting');
  expect(at.statuses()).toEqual(['m1 pending']);
  at.clock.advance(500);
  at.link.welcome('conn-2').receipt('s', 'm1');
  expect(at.client.outbox.entries).toEqual([]);
});

test('a key that counts no more fails no message: the client ends, and comes back with another key', () => {
  const at = scene();
  void at.send('m1');
  at.connect().problem('send', 401);
  at.clock.advance(500);
  at.link.refuse(401);
  expect(at.client.state).toMatchObject({ status: 'ended', reason: 'unauthorized' });
  expect(at.statuses()).toEqual(['m1 pending']);
  at.client.connect();
  at.link.welcome('conn-3').receipt('s', 'm1');
  expect(at.client.outbox.entries).toEqual([]);
});

test('an answer of an earlier connection changes nothing: the message is sent again [M35]', () => {
  const at = scene();
  void at.send('m1');
  void at.send('m2');
  const first = at.connect();
  first.lose();
  expect(at.statuses()).toEqual(['m1 uncertain', 'm2 pending']);
  at.clock.advance(500);
  const second = at.link.welcome('conn-2');
  first.receipt('s', 'm1');
  expect(at.statuses()).toEqual(['m1 uncertain', 'm2 pending']);
  second.receipt('s', 'm1').receipt('s', 'm2');
  expect(at.client.outbox.entries).toEqual([]);
});

test('a message of the background whose acknowledgement was lost is sent again under its key, after reconnect [M76]', () => {
  const at = scene();
  const link = at.connect();
  at.client.watch('s');
  link.ok('watch', { attached: true }).attached('s', 'c1');
  void at.send('m1');
  at.page.fire('hidden');
  link.lose();
  at.clock.advance(500);
  at.page.fire('visible');
  at.link.welcome('conn-2');
  expect(at.sentKeys()).toEqual([]);
  at.link.reconnected().receipt('s', 'm1');
  expect(at.sentKeys()).toEqual(['m1']);
});

test('a tab that is reloaded sends what was not answered, under the same keys and in the same order', () => {
  const before = scene();
  for (const key of ['m1', 'm2', 'm3']) {
    void before.send(key);
  }
  before.connect();
  before.link.receipt('s', 'm1');
  // the page goes without a word; another one has its storage
  const after = scripted({ environment: { storage: before.storage } });
  expect(after.client.outbox.entries.map(entry => `${entry.key} ${entry.status}`)).toEqual(['m2 uncertain', 'm3 pending']);
  const link = after.connect('conn-2');
  link.receipt('s', 'm2').receipt('s', 'm3');
  expect(after.client.outbox.entries).toEqual([]);
  expect([...before.storage.values.keys()]).toEqual([]);
});

test('a storage that is full, or holds something else, is reported and does not keep a message from being sent', () => {
  const storage = {
    getItem: () => '{"not": "a list"',
    setItem: () => {
      throw new Error('full');
    },
    removeItem: () => undefined,
  };
  const at = scripted({ environment: { storage } });
  void at.client.send('s', 'Hello');
  expect(at.reports).toHaveLength(2);
  const link = at.connect();
  expect(link.of('send')).toHaveLength(1);
});

test('entries that are no messages are left out of what was stored', () => {
  const at = scene();
  const good: OutboxEntry = { key: 'm1', kind: 'send', session: 's', create: false, turn: { id: 'm1' }, status: 'sending' };
  at.storage.setItem('holdfast.outbox.http://holdfast.test/', JSON.stringify([good, null, 7, { key: 'x' }]));
  const after = scripted({ environment: { storage: at.storage } });
  expect(after.client.outbox.entries).toEqual([{ ...good, status: 'uncertain' }]);
});

test('an interrupt waits for a connection, but for no other message', async () => {
  const at = scene();
  void at.send('m1');
  void at.send('m2');
  const interrupted = at.client.interrupt('s', { message: { id: 'now', text: 'Stop that' } });
  const link = at.connect();
  expect(link.types).toEqual(['interrupt', 'send']);
  link.receipt('s', 'now');
  await expect(interrupted).resolves.toMatchObject({ turn: 'now' });
  expect(at.statuses()).toEqual(['m1 sending', 'm2 pending']);
});

test('an interrupt without an answer is sent again under its key', () => {
  const at = scene();
  void at.client.interrupt('s', { message: { id: 'now', text: 'Stop that' } });
  at.connect().lose();
  at.clock.advance(500);
  at.link.welcome('conn-2');
  expect(at.link.of('interrupt').map(command => command.turn.id)).toEqual(['now']);
});

test('text is a message of the user with a key of its own', () => {
  const at = scene();
  void at.client.send('s', 'Hello', { create: true });
  at.connect();
  const [command] = at.link.of('send');
  expect(command).toMatchObject({ session: 's', create: true, turn: { message: { text: 'Hello' } } });
  expect(command?.turn.id).toBe(command?.turn.message?.id);
});

test('a new session is made by the server, and its receipt tells its id', async () => {
  const at = scene();
  const receipt = at.client.send(null, 'Hello');
  at.connect();
  const key = at.link.of('send')[0]?.turn.id as string;
  expect(at.link.of('send')[0]).not.toHaveProperty('session');
  at.link.receipt('made', key);
  await expect(receipt).resolves.toMatchObject({ session: 'made' });
});

test('the same key twice at once is refused', () => {
  const at = scene();
  void at.send('m1');
  expect(() => at.send('m1')).toThrow(/on its way already/);
});

test('a message that was discarded while it was under way lets the next one go', async () => {
  const at = scene();
  void at.send('m1');
  void at.send('m2');
  const link = at.connect();
  at.client.outbox.discard('m1');
  expect(at.sentKeys()).toEqual(['m1', 'm2']);
  link.receipt('s', 'm1');
  expect(at.statuses()).toEqual(['m2 sending']);
  expect(at.sentKeys()).toEqual(['m1', 'm2']);
  expect(at.events).toEqual(['pending m1', 'pending m2', 'discarded m1']);
  await settled();
});
