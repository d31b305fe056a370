import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BlockLexer } from '../src/markdown/block-lexer';
import type { Block } from '../src/markdown/block-lexer';

const SAMPLE = readFileSync(new URL('../../models/src/main/resources/dev/holdfast/models/demo-markdown.md', import.meta.url), 'utf8');
const HARD = `Title\n===\n\nA paragraph\nthat goes on\n\n- one\n\n  still one\n- two\n\n\n~~~\ncode\n\nmore\n~~~\n| a | b |\n|---|---|\n| 1 | 2 |\n\n    indented\n\n> quote\nlazy\n\n<div>\nhtml\n</div>\n\n1. x\n2. y\n\nEnd`;

const shapes = (blocks: readonly Block[]) => blocks.map(block => [block.token.type, block.raw]);

describe('blocks of a growing text', () => {
  test.each([
    ['the sample', SAMPLE],
    ['hard cases', HARD],
    ['line ends of another system', HARD.replaceAll('\n', '\r\n')],
  ])('are at its end those of the whole text: %s', (_, text) => {
    for (const step of [1, 2, 3, 7, 40]) {
      const lexer = new BlockLexer();
      let blocks: readonly Block[] = [];
      for (let end = 0; end < text.length + step; end += step) {
        blocks = lexer.read(text.slice(0, end));
      }
      expect(shapes(blocks)).toEqual(shapes(new BlockLexer().read(text)));
    }
  });

  test('that did not change are the same objects, so that they are not drawn again', () => {
    const lexer = new BlockLexer();
    const before = lexer.read('# One\n\nTwo\n\nThree\n\nFour');
    const after = lexer.read('# One\n\nTwo\n\nThree\n\nFour and more');
    expect(after.slice(0, 3)).toEqual(before.slice(0, 3));
    expect(after.slice(0, 3).every((block, index) => block === before[index])).toBe(true);
  });

  test('of another text are read from its beginning', () => {
    const lexer = new BlockLexer();
    lexer.read('# One\n\nTwo\n\nThree\n\nFour');
    expect(shapes(lexer.read('Other'))).toEqual([['paragraph', 'Other']]);
  });

  test('of a long text cost no more than its end', () => {
    const lexer = new BlockLexer();
    const paragraph = 'A paragraph of some words.\n\n';
    let text = '';
    let kept: Block | undefined;
    for (let i = 0; i < 2000; i++) {
      text += paragraph;
      const blocks = lexer.read(text);
      kept ??= blocks[0];
      expect(blocks[0]).toBe(kept);
    }
  });
});
