import type { Overlay, StoredMessage } from '@holdfast/client';
import { expect, test } from 'vitest';
import { foldsOf } from '../src/chat/folds';

const messages = (first: string | null, ...ids: string[]): StoredMessage[] =>
  ids.map((id, place) => ({ id, parentId: place === 0 ? first : (ids[place - 1] as string), role: 'user', content: {}, createdAt: '', updatedAt: '' }));
const overlay = (id: string, from: string, to: string): Overlay => ({ id, from, to, summary: id, createdAt: '' });
const folds = (stored: StoredMessage[], ...newestFirst: Overlay[]) => [...foldsOf(stored, newestFirst)].map(([to, each]) => `${to} ${each.id}`);

test('the newest of those that overlap counts', () => {
  const path = messages(null, 'a', 'b', 'c', 'd', 'e');
  expect(folds(path, overlay('3', 'b', 'c'), overlay('2', 'a', 'b'), overlay('1', 'd', 'd'))).toEqual(['c 3', 'd 1']);
});

test('one that lies on another branch does not count', () => {
  expect(folds(messages(null, 'a', 'b'), overlay('2', 'a', 'x'), overlay('1', 'x', 'b'))).toEqual([]);
});

test('one that begins above what is loaded counts', () => {
  expect(folds(messages('older', 'a', 'b'), overlay('1', 'much older', 'a'))).toEqual(['a 1']);
});
