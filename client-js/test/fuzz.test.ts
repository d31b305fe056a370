import { expect, test } from 'vitest';
import { HoldfastClient } from '../src/client.js';
import type { SessionUpdate } from '../src/session-state.js';
import type { SessionView } from '../src/session-view.js';
import { Clock, FakePage, fakeEnvironment } from './support/clock.js';
import { ModelServer, randomOf } from './support/model.js';

const RUNS = Number(process.env.HOLDFAST_FUZZ_RUNS ?? 3000);
const STEPS = 120;
const SESSIONS = ['a', 'b', 'c'];

/** What a listener has applied: it must be the canonical events at every moment. */
class Applied {
  values: number[] = [];
  readonly wrong: number[][] = [];
  #refuse = 0;

  constructor(
    private readonly canonical: () => number[],
    private readonly random: () => number,
  ) {}

  readonly listener = (update: SessionUpdate): void => {
    if (this.#refuse > 0 || this.random() < 0.02) {
      this.#refuse = Math.max(0, this.#refuse > 0 ? this.#refuse - 1 : 2);
      throw new Error('not now');
    }
    let values = this.values;
    if (update.type === 'attached' && update.answer.answer === 'snapshot') {
      values = [...(update.answer.boot as number[])];
    } else if (update.type === 'events') {
      values = [...values, ...update.events.map(event => (event.kind === 'chunk' ? (event.data as number) : NaN))];
    }
    if (String(values) !== String(this.canonical().slice(0, values.length))) {
      this.wrong.push(values);
    }
    this.values = values;
  };
}

function run(seed: number): { sent: string[]; server: ModelServer } {
  const random = randomOf(seed);
  const clock = new Clock();
  const page = new FakePage();
  const server = new ModelServer(random, seed % 2 === 0);
  const { environment } = fakeEnvironment(clock, { random, page });
  const client = new HoldfastClient({ url: 'http://holdfast.test', transport: server, device: 'tab', environment });
  const views = new Map<string, { view: SessionView; applied: Applied }>();
  const sent: string[] = [];
  let next = 0;
  SESSIONS.forEach(id => server.logs.set(id, []));
  const watch = (id: string) => {
    const applied = new Applied(() => server.logs.get(id) ?? [], random);
    const view = client.watch(id, applied.listener);
    applied.values = (server.logs.get(id) ?? []).slice(0, Number(view.state.cursor ?? 0)); // where it is let go of and needed again
    views.set(id, { view, applied });
  };
  client.connect();
  for (let step = 0; step < STEPS; step++) {
    const session = SESSIONS[Math.floor(random() * SESSIONS.length)] as string;
    const chance = random();
    if (chance < 0.25) {
      server.append(session, next++);
    } else if (chance < 0.3) {
      views.has(session) ? (views.get(session)?.view.close(), views.delete(session)) : watch(session);
    } else if (chance < 0.34) {
      const key = `m${sent.length}`;
      sent.push(key);
      void client.send(session, { message: { id: key, text: key } });
    } else if (chance < 0.36) {
      server.kept.set(session, Math.floor(random() * ((server.logs.get(session)?.length ?? 0) + 1)));
    } else if (chance < 0.4) {
      page.fire((['hidden', 'visible', 'online', 'pagehide', 'pageshow'] as const)[Math.floor(random() * 5)] ?? 'online', random() < 0.3);
    } else if (chance < 0.55) {
      clock.advance(Math.floor(random() * 2000));
    } else {
      server.step();
    }
  }
  page.fire('visible');
  server.settle();
  SESSIONS.forEach(id => server.append(id, next++)); // a frame that was dropped shows with the next one
  for (let i = 0; i < 60 && !isSettled(); i++) {
    server.settle();
    clock.advance(5000);
    server.settle();
  }
  function isSettled() {
    return [...views].every(([id, { applied }]) => applied.values.length === server.logs.get(id)?.length) && client.outbox.entries.length === 0;
  }
  for (const [id, { applied, view }] of views) {
    expect(applied.wrong).toEqual([]);
    expect(applied.values).toEqual(server.logs.get(id));
    expect(view.state.cursor).toBe(String(server.logs.get(id)?.length));
  }
  expect(client.outbox.entries).toEqual([]);
  expect(server.accepted).toEqual(sent);
  client.disconnect();
  server.links.forEach(link => link.down.splice(0).forEach(message => link.events.message(message)));
  expect(clock.pending).toBe(0);
  return { sent, server };
}

test(`${RUNS} runs of a client over a bad network end with every event once, and every message once, in order [M79] [M80]`, () => {
  const from = Number(process.env.HOLDFAST_FUZZ_SEED ?? 1);
  for (let seed = from; seed < from + RUNS; seed++) {
    try {
      run(seed);
    } catch (error) {
      throw new Error(`seed ${seed} (HOLDFAST_FUZZ_SEED=${seed} HOLDFAST_FUZZ_RUNS=1)`, { cause: error });
    }
  }
});
