/**
 * The value that the beginning of a JSON text already tells, so that a tool's input can be seen growing; undefined if it tells none. What is cut in the middle is
 * left out, but for strings, which are shown as far as they go.
 */
export function partialJson(text: string): unknown {
  const whole = tryParse(text);
  return whole !== undefined ? whole : tryParse(new Repair(text).repaired());
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Expected = 'value' | 'key-or-end' | 'key' | 'colon' | 'comma-or-end' | 'value-or-end';

interface Level {
  readonly close: '}' | ']' | '';
  expected: Expected;
}

class Repair {
  readonly #levels: Level[] = [{ close: '', expected: 'value' }];
  #at = 0;
  /** What is kept ends here. */
  #kept = 0;
  #closing = '';

  constructor(private readonly text: string) {}

  repaired(): string {
    while (this.#at < this.text.length && this.#step()) {
      // on to the next token
    }
    const ends = this.#levels.map(level => level.close).reverse();
    return this.text.slice(0, this.#kept) + this.#closing + ends.join('');
  }

  get #level(): Level {
    return this.#levels[this.#levels.length - 1] as Level;
  }

  /** Takes one token. Returns whether it was whole and in its place. */
  #step(): boolean {
    const c = this.text[this.#at] as string;
    if (/\s/.test(c)) {
      this.#at++;
      return true;
    }
    const level = this.#level;
    if (c === level.close && level.expected !== 'value' && level.expected !== 'key' && level.expected !== 'colon') {
      this.#levels.pop();
      return this.#keep(this.#at + 1);
    }
    switch (level.expected) {
      case 'key-or-end':
      case 'key':
        return this.#key(level);
      case 'colon':
        level.expected = 'value';
        this.#at++;
        return c === ':';
      case 'comma-or-end':
        level.expected = level.close === '}' ? 'key' : 'value';
        this.#at++;
        return c === ',' && level.close !== '';
      default:
        return this.#value(level, c);
    }
  }

  #keep(end: number): boolean {
    this.#at = this.#kept = end;
    return true;
  }

  #key(level: Level): boolean {
    const end = this.text[this.#at] === '"' ? this.#endOfString() : -1;
    this.#at = end;
    level.expected = 'colon';
    return end >= 0;
  }

  #value(level: Level, c: string): boolean {
    level.expected = 'comma-or-end';
    if (c === '{' || c === '[') {
      this.#levels.push(c === '{' ? { close: '}', expected: 'key-or-end' } : { close: ']', expected: 'value-or-end' });
      return this.#keep(this.#at + 1);
    }
    return c === '"' ? this.#string() : this.#scalar();
  }

  #string(): boolean {
    const end = this.#endOfString();
    if (end >= 0) {
      return this.#keep(end);
    }
    this.#kept = this.text.length;
    const escape = /\\(u[0-9a-fA-F]{0,3})?$/.exec(this.#escapes());
    if (escape !== null) {
      this.#kept -= escape[0].length; // cut within an escape
    }
    this.#closing = '"';
    return false;
  }

  /** The open string without its whole escapes, so that a backslash at the end begins one. */
  #escapes(): string {
    return this.text.slice(this.#at).replace(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/g, '.');
  }

  /** Behind the closing quote, or -1. */
  #endOfString(): number {
    for (let i = this.#at + 1; i < this.text.length; i++) {
      if (this.text[i] === '\\') {
        i++;
      } else if (this.text[i] === '"') {
        return i + 1;
      }
    }
    return -1;
  }

  #scalar(): boolean {
    const token = /^[^\s,\]}]*/.exec(this.text.slice(this.#at))?.[0] ?? '';
    const isCut = this.#at + token.length === this.text.length;
    const literal = ['true', 'false', 'null'].find(each => (isCut ? each.startsWith(token) : each === token));
    if (literal !== undefined && token !== '') {
      this.#kept = this.#at + token.length;
      this.#closing = literal.slice(token.length);
      this.#at = this.#kept;
      return true;
    }
    const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?/.exec(token)?.[0] ?? '';
    if (number !== '') {
      this.#kept = this.#at + number.length;
    }
    this.#at += token.length;
    return number !== '' && number === token;
  }
}
