import { describe, expect, test } from 'vitest';
import { spansOf } from '../src/chat/find';

const found = (text: string, ...words: string[]) => spansOf(text, words).map(([from, to]) => text.slice(from, to));

describe('words that were looked for', () => {
  test('are found wherever they stand, first to last, whatever their case', () => {
    expect(found('Bread, and more BREAD; no butter', 'butter', 'bread')).toEqual(['Bread', 'BREAD', 'butter']);
    expect(spansOf('a kelp', ['kelp'])).toEqual([[2, 6]]);
  });

  test('are beginnings of words, and never their middles', () => {
    expect(found('unbroken brokenness', 'broken')).toEqual(['broken']);
    expect(spansOf('unbroken brokenness', ['broken'])).toEqual([[9, 15]]);
  });

  test('need no gaps in scripts that have none', () => expect(found('東京へ行く', '京', '行')).toEqual(['京', '行']));

  test('do not overlap: the longer one counts', () => expect(found('breadth', 'bread', 'breadth')).toEqual(['breadth']));

  test('are told of no text whose length depends on its case', () => expect(found('İstanbul bread', 'bread')).toEqual([]));
});
