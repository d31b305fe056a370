import { afterEach, describe, expect, test } from 'vitest';
import type { SessionEvent } from '../src/protocol.js';
import { FakePage, FakeStorage } from '../test/support/clock.js';
import { randomOf } from '../test/support/model.js';
import { BASE, Network, TRANSPORTS, api, ask, closeClients, isCanonical, newId, open, release, shows, texts, until } from './support.js';

afterEach(() => closeClients());

/** How many events the model behind the server process needs for an answer, and how many bring half of its text. */
const WHOLE = 11;
const HALF = 4;

describe.each(TRANSPORTS)('%s', transport => {
  test('sends a message, sees the answer grow, and has what the store has', async () => {
    const client = open({ transport });
    const session = newId();
    const view = client.watch(session);
    const receipt = await client.send(session, 'wait', { create: true });
    expect(receipt).toMatchObject({ session, started: true });
    await shows(view, 'one two ');
    await release();
    await shows(view, 'one two three');
    await isCanonical(view);
    expect(texts(view)).toEqual(['wait', 'one two three']);
    expect(view.state).toMatchObject({ driver: 'you', outcome: { outcome: 'completed' } });
    await expect(client.send(session, { message: { id: receipt.turn, text: 'wait' } })).resolves.toMatchObject({ started: false });
    expect(client.state).toMatchObject({ status: 'connected', transport });
  });

  test('a session that the server makes has the id of its receipt', async () => {
    const client = open({ transport });
    const { session } = await client.send(null, 'hello');
    const view = client.watch(session);
    await shows(view, /to: hello$/);
    await isCanonical(view);
  });

  test('a connection that is lost in the middle of an answer goes on where it was [M7] [M22]', async () => {
    const network = await Network.to(BASE);
    const client = open({ transport, url: network.url });
    const session = newId();
    let snapshots = 0;
    const view = client.watch(session, update => {
      snapshots += update.type === 'attached' && update.answer.answer === 'snapshot' ? 1 : 0;
    });
    await client.send(session, 'wait', { create: true });
    await shows(view, 'one two ');
    network.down();
    await until(() => client.state.status !== 'connected', () => client.state);
    network.up();
    await until(() => client.state.status === 'connected', () => client.state);
    await release();
    await shows(view, 'one two three');
    await isCanonical(view);
    expect(snapshots).toBe(1);
    network.close();
  });

  test('a turn that ends while the client is away is there when it is back [M77] [M78]', async () => {
    const network = await Network.to(BASE);
    const client = open({ transport, url: network.url });
    const session = newId();
    const view = client.watch(session);
    const { turn } = await client.send(session, 'wait', { create: true });
    await shows(view, 'one two ');
    network.down();
    await release();
    await until(async () => (await api<{ state: string }>(`sessions/${session}/turns/${turn}`)).state === 'completed', () => turn);
    expect(texts(view).at(-1)).toBe('one two ');
    network.up();
    await shows(view, 'one two three');
    await isCanonical(view);
    network.close();
  });

  test('messages that were sent while the network was away arrive once, in order [M15] [M76]', async () => {
    const network = await Network.to(BASE);
    const client = open({ transport, url: network.url });
    const session = newId();
    const view = client.watch(session);
    await client.send(session, 'first', { create: true });
    network.down();
    const receipts = ['second', 'third'].map(text => client.send(session, text));
    network.up();
    await Promise.all(receipts);
    await shows(view, /to: third$/);
    await isCanonical(view);
    expect(texts(view).filter((_, i) => i % 2 === 0)).toEqual(['first', 'second', 'third']);
    network.close();
  });

  test('a tab that is reloaded sends what was not answered', async () => {
    const network = await Network.to(BASE);
    network.down();
    const storage = new FakeStorage();
    const gone = open({ transport, url: network.url, environment: { storage } });
    const session = newId();
    gone.send(session, 'hello', { create: true }).catch(() => undefined);
    gone.disconnect();
    network.up();
    const client = open({ transport, url: network.url, environment: { storage } });
    const view = client.watch(session);
    await shows(view, /to: hello$/);
    expect(client.outbox.entries).toEqual([]);
    await isCanonical(view);
    network.close();
  });

  test('two devices see the same, and the one that sends takes over [M79]', async () => {
    const [one, two] = [open({ transport }), open({ transport })];
    const session = newId();
    const first = one.watch(session);
    await one.send(session, 'hello', { create: true });
    const second = two.watch(session);
    await shows(second, /to: hello$/);
    await two.send(session, 'again');
    await shows(first, /to: again$/);
    await until(() => first.state.driver === 'other' && second.state.driver === 'you', () => [first.state, second.state]);
    expect(first.state.displaced).toBe(true);
    await Promise.all([isCanonical(first), isCanonical(second)]);
    expect(await one.closeSession(session)).toMatchObject({ accepted: false });
    expect(await two.closeSession(session)).toMatchObject({ accepted: true });
    await until(() => first.state.closed && second.state.closed, () => [first.state, second.state]);
  });

  test('stop, interrupt, mode and answers', async () => {
    const client = open({ transport });
    const session = newId();
    const view = client.watch(session);
    await client.send(session, 'wait', { create: true });
    await shows(view, 'one two ');
    expect(await client.stop(session, { reason: 'enough' })).toMatchObject({ accepted: true });
    await until(() => view.state.outcome?.outcome === 'stopped', () => view.state);
    await client.send(session, 'wait');
    await until(() => view.state.turns[0]?.message != null, () => view.state);
    await client.interrupt(session, 'now');
    await shows(view, /to: now$/);
    await isCanonical(view);
    expect(await client.setMode(session, 'ask')).toEqual({ mode: 'ask' });
    await until(() => view.state.mode === 'ask', () => view.state);
    const { turn } = await client.send(session, 'where');
    await until(() => view.state.turns[0]?.state === 'awaiting', () => view.state);
    expect(view.state.turns[0]?.pending).toMatchObject([{ toolCallId: 'where-1', approval: false }]);
    expect(await client.answer(session, turn, { toolCallId: 'where-1', output: { city: 'Graz' } })).toMatchObject({ effect: 'applied' });
    await shows(view, 'Looking. Done.');
    await isCanonical(view);
    expect(await client.answer(session, turn, { toolCallId: 'where-1', output: { city: 'Graz' } }).catch(error => error)).toBeDefined();
    await expect(client.stop('nobody')).rejects.toMatchObject({ code: 'refused', problem: { status: 404 } });
  });

  test('what waits for an answer is there after a reload', async () => {
    const gone = open({ transport });
    const session = newId();
    await gone.send(session, 'pay', { create: true });
    const before = gone.watch(session);
    await until(() => before.state.turns[0]?.state === 'awaiting', () => before.state);
    gone.disconnect();
    const client = open({ transport });
    const view = client.watch(session);
    await until(() => view.state.turns[0]?.state === 'awaiting', () => view.state);
    expect(view.state.turns[0]?.pending).toMatchObject([{ toolCallId: 'pay-1', toolName: 'pay', approval: true }]);
    await client.answer(session, view.state.turns[0]?.id ?? '', { toolCallId: 'pay-1', approved: true });
    await shows(view, 'Looking. Done.');
    await isCanonical(view);
  });

  test('a page that is hidden gets nothing, and everything when it is shown [M28]', async () => {
    const page = new FakePage();
    const client = open({ transport, environment: { page } });
    const session = newId();
    const view = client.watch(session);
    await client.send(session, 'wait', { create: true });
    await shows(view, 'one two ');
    page.fire('hidden');
    page.fire('pagehide');
    page.fire('visible');
    await release();
    await shows(view, 'one two three');
    await isCanonical(view);
  });

  test('sessions that are not there are told as such', async () => {
    const client = open({ transport });
    const view = client.watch(newId());
    await until(() => view.state.status === 'detached', () => view.state);
    expect(view.state.reason).toBe('not-found');
  });

  test('a server that is killed in the middle of an answer, and started again, costs nothing', async () => {
    const base = await ask('server/start');
    const client = open({ transport, url: base });
    const session = newId();
    const view = client.watch(session);
    await client.send(session, 'hello', { create: true });
    await ask(`model/produce?events=${HALF}`);
    await shows(view, /^Answer \d+ to: $/);
    const seen = texts(view).at(-1);
    await ask('server/kill');
    await until(() => client.state.status === 'waiting', () => client.state);
    const lost = client.send(session, 'second'); // in between
    expect(await ask('server/start')).toBe(base);
    await ask(`model/produce?events=${WHOLE - HALF}`);
    await shows(view, /hello\. That is all\.$|^second$/);
    await lost;
    await ask(`model/produce?events=${WHOLE}`);
    await shows(view, /second\. That is all\.$/);
    await isCanonical(view, base);
    expect(texts(view)[1]).toBe(`${seen}hello. That is all.`);
    await ask('server/kill');
  });

  test('a network that cuts connections at any byte, 200 times and more: every event once, every message once [M80]', async () => {
    const random = randomOf(7);
    const network = await Network.to(BASE);
    const client = open({ transport, url: network.url });
    const sessions = [newId(), newId(), newId()];
    const faults: string[] = [];
    const views = sessions.map(session => {
      let feed: number | undefined;
      const streams = new Map<string, number>();
      const follow = (event: SessionEvent) => {
        if (event.kind === 'chunk') {
          const expected = streams.get(event.turn);
          const isNext = event.seq === undefined || expected === undefined || event.seq === expected;
          isNext || faults.push(`${session}: chunk ${event.seq} and not ${expected} of ${event.turn}`);
          event.seq === undefined || streams.set(event.turn, event.seq + 1);
        } else if (event.kind === 'stream-opened') {
          streams.set(event.turn, 0);
        } else {
          (feed === undefined || event.seq === feed) || faults.push(`${session}: event ${event.seq} and not ${feed}`);
          feed = event.seq + 1;
        }
      };
      return client.watch(session, update => {
        if (update.type === 'attached' && update.answer.answer === 'snapshot') {
          feed = undefined;
          streams.clear();
        } else if (update.type === 'events') {
          update.events.forEach(follow);
        }
      });
    });
    const most = () => (random() < 0.5 ? 600 : random() < 0.7 ? 6000 : 60_000); // a frame that is longer gets through now and then
    network.cutAfter = () => 1 + Math.floor(random() * most());
    const sent: Record<string, string[]> = Object.fromEntries(sessions.map(session => [session, []]));
    for (let i = 0; network.cuts < 220; i++) {
      const session = sessions[i % sessions.length] as string;
      const text = `message ${i} ${'x'.repeat(Math.floor(random() * 400))}`;
      sent[session]?.push(text);
      await client.send(session, text, { create: true });
    }
    network.cutAfter = undefined;
    for (const view of views) {
      const last = sent[view.id]?.at(-1) ?? '';
      await until(() => texts(view).at(-1)?.endsWith(`to: ${last}`) === true, () => [view.state.cursor, client.state]);
      await isCanonical(view);
      expect(texts(view).filter((_, i) => i % 2 === 0)).toEqual(sent[view.id]);
    }
    expect(faults).toEqual([]);
    expect(network.cuts).toBeGreaterThanOrEqual(220);
    network.close();
  });
});
