import { expect, test } from 'vitest';
import { excerptOf, titleOf } from '../src/search/excerpt';

/** With what matches in angle brackets. */
const marked = (pieces: readonly { text: string; match: boolean }[]) => pieces.map(piece => (piece.match ? `<${piece.text}>` : piece.text)).join('');
const snippet = (text: string) => text.split(/(<[^>]*>)/).filter(piece => piece !== '').map(piece => ({ text: piece.replace(/[<>]/g, ''), match: piece.startsWith('<') }));

test.each([
  ['## A <heading>\n\nand **bold <words>** in `code`', 'A <heading> and bold <words> in code'],
  ['- one\n- **<two>**\n> three', 'one <two> three'],
  ['| Day | <Loaf> |\n|---|:-:|\n| Monday | rye |', ' Day <Loaf> Monday rye '],
  ['see [the <docs>](https://example.org/a_b), and ![a loaf](x.png)', 'see the <docs>, and a loaf'],
  ['<snake>_case_name, _leaning_ __and <so>__ 2 * 3', '<snake>_case_name, leaning and <so> 2 * 3'],
  ['half of a [<link>](https://exam', 'half of a [<link>](https://exam'],
])('an answer is found as it reads: %s', (text, plain) => expect(marked(excerptOf({ role: 'assistant', snippet: snippet(text) }))).toBe(plain));

test('what a user wrote is found as it was written', () => expect(marked(excerptOf({ role: 'user', snippet: snippet('**so** <said>') }))).toBe('**so** <said>'));

test.each([
  ['Bread and breakfast', 'bre', '<Bre>ad and <bre>akfast'],
  ['Bread and breakfast', 'and BREAD', '<Bread> <and> breakfast'],
  ['Bread', 'loaf', 'Bread'],
])('a title shows what was looked for: %s, %s', (title, words, shown) => expect(marked(titleOf(title, words))).toBe(shown));
