import type { SearchHit } from '@holdfast/client';
import { spansOf } from '../chat/find';

export interface Piece {
  readonly text: string;
  readonly match: boolean;
}

/** What makes markdown of a text: marks of headings, quotes and lists at the beginning of a line, links, emphasis, code and cells. */
const BLOCK = /^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+|(?:[-:|][ \t]*){3,}$|```.*$)/gm;
const LINK = /!?\[([^\][]*)\]\((?:<[^>]*>|[^()\s]*)\)/g;
const INLINE = /(?<!\s)\*{1,3}|\*{1,3}(?!\s)|~~|`+|(?<![\p{L}\p{N}\u{F0000}\u{F0001}])_{1,3}|_{1,3}(?![\p{L}\p{N}\u{F0000}\u{F0001}])|\|/gu;

/** Stands for the borders of matches while the text is one. No message has it. */
const OPEN = '\u{F0000}';
const SHUT = '\u{F0001}';

/** An excerpt of an answer as it reads, without the signs of its markdown. */
export function excerptOf(hit: Pick<SearchHit, 'snippet' | 'role'>): readonly Piece[] {
  if (hit.role === 'user') {
    return hit.snippet; // shown as it was written
  }
  const whole = hit.snippet.map(piece => (piece.match ? OPEN + piece.text + SHUT : piece.text)).join('');
  const plain = whole.replace(BLOCK, '').replace(LINK, '$1').replace(INLINE, '').replace(/\s+/g, ' ');
  return plain
    .split(/(\u{F0000}[^\u{F0001}]*\u{F0001})/u)
    .filter(text => text !== '')
    .map(text => (text.startsWith(OPEN) ? { text: text.slice(OPEN.length, -SHUT.length), match: true } : { text: text.replace(/[\u{F0000}\u{F0001}]/gu, ''), match: false }));
}

/** A title, with the words of it that were looked for. */
export function titleOf(title: string, words: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const [from, to] of spansOf(title, words.toLowerCase().split(/\s+/).filter(word => word !== ''))) {
    pieces.push({ text: title.slice(at, from), match: false }, { text: title.slice(from, to), match: true });
    at = to;
  }
  return [...pieces, { text: title.slice(at), match: false }].filter(piece => piece.text !== '');
}
