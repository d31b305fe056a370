import { lexer } from 'marked';
import type { Token, TokensList } from 'marked';

/** A piece of text that stands for itself, such as a paragraph, a list or a block of code. */
export interface Block {
  /** Where it begins in the text; no two blocks begin at the same place. */
  readonly at: number;
  readonly raw: string;
  readonly token: Token;
}

/**
 * Splits a growing text into blocks. What came before stays as it is: only the end is read again, so that a long answer costs no more per chunk than a short one, and
 * a block that did not change is the same object, which need not be drawn again. A text that is not a continuation is read from its beginning.
 */
export class BlockLexer {
  #text = '';
  #blocks: readonly Block[] = [];

  read(given: string): readonly Block[] {
    const text = given.includes('\r') ? given.replace(/\r\n?/g, '\n') : given; // as the lexer has it: places are counted in what it reads
    if (text === this.#text) {
      return this.#blocks;
    }
    const kept = text.startsWith(this.#text) ? this.#settled() : [];
    const from = end(kept);
    const rest = blocksOf(text.slice(from), from);
    const before = new Map(this.#blocks.slice(kept.length).map(block => [block.at, block]));
    this.#text = text;
    this.#blocks = [
      ...kept,
      ...rest.map(block => {
        const known = before.get(block.at);
        return known?.raw === block.raw && known.token.type === block.token.type ? known : block;
      }),
    ];
    return this.#blocks;
  }

  /** The last two blocks may become others by what follows: a line under a paragraph makes a heading or a table of it. */
  #settled(): readonly Block[] {
    const isWhole = end(this.#blocks) === this.#text.length; // or the places are not those of the text
    return isWhole ? this.#blocks.slice(0, -2) : [];
  }
}

function end(blocks: readonly Block[]): number {
  const last = blocks.at(-1);
  return last === undefined ? 0 : last.at + last.raw.length;
}

function blocksOf(text: string, from: number): Block[] {
  const tokens: TokensList | Token[] = lexer(text);
  const blocks: Block[] = [];
  let at = from;
  for (const token of tokens) {
    const last = blocks.at(-1);
    if (token.type === 'space' && last !== undefined) {
      blocks[blocks.length - 1] = { ...last, raw: last.raw + token.raw };
    } else {
      blocks.push({ at, raw: token.raw, token });
    }
    at += token.raw.length;
  }
  return blocks;
}
