import { expect, test } from 'vitest';
import { bytes, duration } from '../src/console/numbers';
import { groupByDay } from '../src/sessions/groups';

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [10 * 1024 * 1024, '10 MiB'],
  [5 * 1024 ** 5, '5120 TiB'],
])('%d bytes', (count, text) => expect(bytes(count)).toBe(text));

test.each([
  [59, '59 s'],
  [60, '1 min'],
  [3700, '1 h 1 min'],
  [200_000, '2 d'],
])('%d seconds', (seconds, text) => expect(duration(seconds)).toBe(text));

test('conversations stand below the day of their last activity', () => {
  const now = new Date(2026, 5, 15, 12);
  const at = (day: number, hour: number) => ({ id: `${day}-${hour}`, title: null, createdAt: '', updatedAt: new Date(2026, 5, day, hour).toISOString() });
  expect(groupByDay([at(15, 1), at(14, 23), at(10, 1), at(1, 1)], now).map(group => [group.label, group.sessions.length])).toEqual([
    ['Today', 1],
    ['Yesterday', 1],
    ['The last seven days', 1],
    ['Before', 1],
  ]);
});
