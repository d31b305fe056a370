import { expect, test } from 'vitest';
import { parted } from '../src/chat/use-attachments';

test('files that find no room are told apart from those that do', () => {
  expect(parted(['a', 'b', 'c'], 2)).toEqual([['a', 'b'], ['c']]);
  expect(parted(['a'], 0)).toEqual([[], ['a']]);
  expect(parted(['a'], 5)).toEqual([['a'], []]);
});
