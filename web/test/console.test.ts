import { expect, test } from 'vitest';
import { othersOf } from '../src/console/own';
import { causeOf, whenOf } from '../src/console/recoveries';

test('the console does not count itself among the readers', () => {
  expect(othersOf({ sessionId: 's', readers: 2 }, ['s'])).toBe(1);
  expect(othersOf({ sessionId: 's', readers: 0 }, ['s'])).toBe(0);
  expect(othersOf({ sessionId: 's', readers: 2 }, ['other'])).toBe(2);
  expect(othersOf({ sessionId: null, readers: 2 }, ['s'])).toBe(2);
});

test('a recovery says why it was, and what its time is of', () => {
  const now = new Date(2026, 0, 2, 12, 0, 0);
  expect(causeOf({ cause: 'process-lost' })).toBe('its process was lost');
  expect(causeOf({ cause: null })).toContain('not kept');
  expect(whenOf({ status: 'recovered', updatedAt: new Date(2026, 0, 2, 11, 0, 0).toISOString() }, now)).toMatch(/^ended 11/);
  expect(whenOf({ status: 'given-up', updatedAt: new Date(2026, 0, 1, 11, 0, 0).toISOString() }, now)).toMatch(/^given up .*2026/);
});
