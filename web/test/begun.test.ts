import { expect, test } from 'vitest';
import { isBegun } from '../src/sessions/begun';

const made = { id: 's', title: null, createdAt: '2026-01-01T10:00:00Z', updatedAt: '2026-01-01T10:00:00Z' };

test('a session that was made for a file alone is not one yet', () => {
  expect(isBegun(made)).toBe(false);
  expect(isBegun({ ...made, updatedAt: '2026-01-01T10:00:01Z' })).toBe(true);
  expect(isBegun({ ...made, title: 'Bread' })).toBe(true);
});
