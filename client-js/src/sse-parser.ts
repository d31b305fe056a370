import { MAX_SSE_EVENT_CHARS } from './limits.js';

/**
 * Reads server-sent events out of text that arrives in pieces cut anywhere. Only data counts: names and ids of events are passed over, and an event that was
 * cut off by the end of the stream is never told.
 */
export class SseParser {
  #rest = '';
  #data: string[] = [];
  #size = 0;
  #afterReturn = false;
  #begun = false;

  constructor(private readonly onData: (data: string) => void) {}

  /** Takes the next piece. Throws if an event is longer than the limit. */
  push(piece: string): void {
    let text = piece;
    if (!this.#begun && text.length > 0) {
      this.#begun = true;
      text = text.startsWith('\uFEFF') ? text.slice(1) : text;
    }
    if (this.#afterReturn && text.length > 0) {
      this.#afterReturn = false;
      text = text.startsWith('\n') ? text.slice(1) : text;
    }
    let from = 0;
    for (;;) {
      const end = lineEnd(text, from);
      if (end < 0) {
        break;
      }
      this.#line(this.#rest + text.slice(from, end));
      this.#rest = '';
      from = end + 1;
      if (text[end] === '\r') {
        if (from === text.length) {
          this.#afterReturn = true;
        } else if (text[from] === '\n') {
          from++;
        }
      }
    }
    this.#rest += text.slice(from);
    this.#check(this.#rest.length);
  }

  #line(line: string): void {
    if (line === '') {
      this.#end();
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    if (field !== 'data') {
      return;
    }
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    this.#data.push(value);
    this.#size += value.length + 1;
    this.#check(0);
  }

  #end(): void {
    if (this.#data.length === 0) {
      return;
    }
    const data = this.#data.join('\n');
    this.#data = [];
    this.#size = 0;
    this.onData(data);
  }

  #check(more: number): void {
    if (this.#size + more > MAX_SSE_EVENT_CHARS) {
      throw new Error(`An event is longer than ${MAX_SSE_EVENT_CHARS} characters.`);
    }
  }
}

function lineEnd(text: string, from: number): number {
  const feed = text.indexOf('\n', from);
  const end = feed < 0 ? text.length : feed;
  for (let i = from; i < end; i++) {
    if (text.charCodeAt(i) === 13) {
      return i;
    }
  }
  return feed;
}
