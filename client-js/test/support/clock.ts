import type { Environment, KeyValues, Page, PageEvent, Timer } from '../../src/environment.js';

interface Due {
  at: number;
  order: number;
  run: () => void;
}

/** Time that passes when a test says so, timer after timer in their order. */
export class Clock {
  now = 0;
  #order = 0;
  readonly #timers = new Set<Due>();

  setTimer(run: () => void, millis: number): Timer {
    const due: Due = { at: this.now + Math.max(0, millis), order: this.#order++, run };
    this.#timers.add(due);
    return due;
  }

  clearTimer(timer: Timer): void {
    this.#timers.delete(timer as Due);
  }

  get pending(): number {
    return this.#timers.size;
  }

  advance(millis: number): void {
    const end = this.now + millis;
    for (;;) {
      const next = [...this.#timers].filter(due => due.at <= end).sort((a, b) => a.at - b.at || a.order - b.order)[0];
      if (next === undefined) {
        break;
      }
      this.#timers.delete(next);
      this.now = next.at;
      next.run();
    }
    this.now = end;
  }
}

/** A page that goes through what a test says. */
export class FakePage implements Page {
  hidden = false;
  readonly #listeners = new Set<(event: PageEvent, persisted: boolean) => void>();

  listen(listener: (event: PageEvent, persisted: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  fire(event: PageEvent, persisted = false): void {
    if (event === 'hidden') {
      this.hidden = true;
    } else if (event === 'visible') {
      this.hidden = false;
    }
    [...this.#listeners].forEach(listener => listener(event, persisted));
  }
}

export class FakeStorage implements KeyValues {
  readonly values = new Map<string, string>();

  getItem(key: string): string | null {
    return this.values.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    this.values.set(key, value);
  }

  removeItem(key: string): void {
    this.values.delete(key);
  }
}

/** Surroundings without real time. Chance is a constant, so that a pause is exactly as long as it says. */
export function fakeEnvironment(clock: Clock, more: Partial<Environment> = {}): { environment: Environment; reports: unknown[] } {
  const reports: unknown[] = [];
  let ids = 0;
  const environment: Environment = {
    now: () => clock.now,
    setTimer: (run, millis) => clock.setTimer(run, millis),
    clearTimer: timer => clock.clearTimer(timer),
    random: () => 0.5,
    newId: () => `id-${++ids}`,
    report: error => void reports.push(error),
    fetch: () => Promise.reject(new Error('there is no network here')),
    WebSocket: undefined,
    page: undefined,
    storage: new FakeStorage(),
    ...more,
  };
  return { environment, reports };
}
