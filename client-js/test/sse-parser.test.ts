import { expect, test } from 'vitest';
import { SseParser } from '../src/sse-parser.js';

function read(...pieces: string[]): string[] {
  const events: string[] = [];
  const parser = new SseParser(data => events.push(data));
  pieces.forEach(piece => parser.push(piece));
  return events;
}

test.each([
  ['line feeds', 'data: a\n\ndata: b\n\n', ['a', 'b']],
  ['returns', 'data: a\r\rdata: b\r\r', ['a', 'b']],
  ['both', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
  ['several lines', 'data: a\ndata:b\ndata\n\n', ['a\nb\n']],
  ['other fields and comments', ': hello\nevent: x\nid: 7\nretry: 5\ndata: a\n\n: bye\n\n', ['a']],
  ['one space is not data, the second is', 'data:  a\n\n', [' a']],
  ['colons in data', 'data: {"a": "b"}\n\n', ['{"a": "b"}']],
  ['a byte order mark', '\uFEFFdata: a\n\n', ['a']],
  ['events without data', 'event: x\n\nid: 1\n\n', []],
  ['an event that was cut off', 'data: a\n\ndata: b\n', ['a']],
])('reads %s', (_name, text, expected) => {
  expect(read(text)).toEqual(expected);
});

test('wherever the text is cut, the same is read', () => {
  const text = '\uFEFFdata: one\r\ndata: two\r\n\r\n: comment\rdata: three\r\rdata: {"x":"\\n"}\n\ndata\n\n';
  const whole = read(text);
  expect(whole).toEqual(['one\ntwo', 'three', '{"x":"\\n"}', '']);
  for (let i = 0; i <= text.length; i++) {
    expect(read(text.slice(0, i), text.slice(i))).toEqual(whole);
    for (let j = i; j <= text.length; j++) {
      expect(read(text.slice(0, i), text.slice(i, j), text.slice(j))).toEqual(whole);
    }
  }
  expect(read(...text)).toEqual(whole);
});

test('an event without an end has a bound', () => {
  const parser = new SseParser(() => undefined);
  const megabyte = 'x'.repeat(1024 * 1024);
  parser.push('data: ');
  expect(() => {
    for (let i = 0; i < 70; i++) {
      parser.push(megabyte);
    }
  }).toThrow(/longer than 67108864/);
});
