import { readUIMessageStream } from 'ai7';
import type { UIMessage, UIMessageChunk } from 'ai7';
import { expect, test } from 'vitest';
import { Fold } from '../src/fold.js';
import type { Chunk, PreviewMessage } from '../src/fold.js';
import { partialJson } from '../src/partial-json.js';

/** What the published client makes of the same chunks, after each of them. */
async function published(chunks: Chunk[], before?: PreviewMessage): Promise<unknown> {
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      chunks.forEach(chunk => controller.enqueue(chunk as never));
      controller.close();
    },
  });
  let last: UIMessage | undefined;
  const message = before as unknown as UIMessage | undefined;
  for await (const each of readUIMessageStream({ stream, terminateOnError: false, ...(message ? { message } : {}) })) {
    last = each;
  }
  return JSON.parse(JSON.stringify({ parts: last?.parts, metadata: last?.metadata }));
}

function folded(chunks: Chunk[], before?: PreviewMessage): unknown {
  const fold = Fold.begin('a1', before);
  chunks.forEach(chunk => fold.apply(chunk));
  const { parts, metadata } = fold.message();
  return JSON.parse(JSON.stringify({ parts, metadata }));
}

const NOT_SHOWN = new Set(['start-step', 'finish-step', 'reset-step']);

const SCENES: Record<string, Chunk[]> = {
  text: [
    { type: 'start', messageId: 'a1', messageMetadata: { a: { b: 1 } } },
    { type: 'start-step' },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'Hel' },
    { type: 'text-delta', id: '0', delta: 'lo' },
    { type: 'text-end', id: '0' },
    { type: 'finish-step' },
    { type: 'message-metadata', messageMetadata: { a: { c: 2 } } },
    { type: 'finish' },
  ],
  reasoning: [
    { type: 'start', messageId: 'a1' },
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
    { type: 'reasoning-end', id: 'r', providerMetadata: { p: { signature: 's' } } },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'open' },
  ],
  'a call of a tool': [
    { type: 'start', messageId: 'a1' },
    { type: 'start-step' },
    { type: 'tool-input-start', toolCallId: 'c', toolName: 'where' },
    { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"city": "Gr' },
    { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: 'az"}' },
    { type: 'tool-input-available', toolCallId: 'c', toolName: 'where', input: { city: 'Graz' } },
    { type: 'tool-output-available', toolCallId: 'c', output: 1, preliminary: true },
    { type: 'tool-output-available', toolCallId: 'c', output: { at: 'home' } },
    { type: 'finish-step' },
    { type: 'start-step' },
    { type: 'tool-input-available', toolCallId: 'd', toolName: 'dyn', input: {}, dynamic: true, providerExecuted: true },
    { type: 'tool-output-error', toolCallId: 'd', errorText: 'no', dynamic: true, providerExecuted: true },
  ],
  'an input on its way': [
    { type: 'start', messageId: 'a1' },
    { type: 'tool-input-start', toolCallId: 'c', toolName: 'where' },
    { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"a": [1, 2.5, {"b": tr' },
  ],
  'an approval': [
    { type: 'start', messageId: 'a1' },
    { type: 'start-step' },
    { type: 'tool-input-available', toolCallId: 'c', toolName: 'pay', input: { euro: 5 } },
    { type: 'tool-approval-request', approvalId: 'ap', toolCallId: 'c' },
    { type: 'tool-approval-response', approvalId: 'ap', approved: true },
    { type: 'tool-output-available', toolCallId: 'c', output: 'paid' },
    { type: 'tool-input-available', toolCallId: 'd', toolName: 'pay', input: {} },
    { type: 'tool-output-denied', toolCallId: 'd' },
  ],
  'files, sources and data': [
    { type: 'start', messageId: 'a1' },
    { type: 'file', url: 'data:,x', mediaType: 'text/plain' },
    { type: 'source-url', sourceId: 's', url: 'https://example.org', title: 'x' },
    { type: 'source-document', sourceId: 'd', mediaType: 'text/plain', title: 'y' },
    { type: 'data-weather', id: 'w', data: { c: 20 } },
    { type: 'data-weather', id: 'w', data: { c: 21 } },
    { type: 'data-note', data: 'one' },
    { type: 'data-toast', data: 'gone', transient: true },
  ],
  'a step that is done again': [
    { type: 'start', messageId: 'a1' },
    { type: 'start-step' },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'kept' },
    { type: 'text-end', id: '0' },
    { type: 'finish-step' },
    { type: 'start-step' },
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: 'dropped' },
    { type: 'reset-step' },
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: 'again' },
  ],
};

test.each(Object.entries(SCENES))('%s looks as in the published client', async (_name, chunks) => {
  for (let length = 2; length <= chunks.length; length++) {
    const prefix = chunks.slice(0, length);
    if (NOT_SHOWN.has(chunks[length - 1]?.type ?? '')) {
      continue; // the published client shows it with the next one
    }
    const expected = (await published(prefix)) as { parts?: { rawInput?: unknown }[] };
    expected.parts?.forEach(part => delete part.rawInput);
    expect(folded(prefix)).toEqual(expected);
  }
});

test('a message is gone on with', async () => {
  const before: PreviewMessage = {
    id: 'a1',
    role: 'assistant',
    parts: [
      { type: 'step-start' },
      { type: 'tool-where', toolCallId: 'c', state: 'output-available', input: {}, output: 1 },
      { type: 'data-x', id: 'x', data: 1 },
    ],
  };
  const chunks: Chunk[] = [
    { type: 'start', messageId: 'a1' },
    { type: 'data-x', id: 'x', data: 2 },
    { type: 'start-step' },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'Done' },
  ];
  expect(folded(chunks, before)).toEqual(await published(chunks, before));
});

test('what refers to nothing is passed over, and a delta opens its text', () => {
  const chunks: Chunk[] = [
    { type: 'text-end', id: 'x' },
    { type: 'tool-output-available', toolCallId: 'x', output: 1 },
    { type: 'tool-input-delta', toolCallId: 'x', inputTextDelta: '1' },
    { type: 'tool-approval-response', approvalId: 'x', approved: true },
    { type: 'nobody-knows-this' },
    { type: 'text-delta', id: '0', delta: 'Hi' },
  ];
  expect(folded(chunks)).toEqual({ parts: [{ type: 'text', text: 'Hi', state: 'streaming' }] });
});

test('a message that was shown stays as it was', () => {
  const fold = Fold.begin('a1');
  fold.apply({ type: 'text-delta', id: '0', delta: 'a' });
  const shown = fold.message();
  const copy = fold.copy();
  fold.apply({ type: 'text-delta', id: '0', delta: 'b' });
  copy.apply({ type: 'text-delta', id: '0', delta: 'c' });
  expect([shown, fold.message(), copy.message()].map(message => message.parts[0]?.['text'])).toEqual(['a', 'ab', 'ac']);
});

test.each([
  ['', undefined],
  ['  ', undefined],
  ['{', {}],
  ['{"a', {}],
  ['{"a"', {}],
  ['{"a":', {}],
  ['{"a": "x', { a: 'x' }],
  ['{"a": "x\\', { a: 'x' }],
  ['{"a": "x\\u00', { a: 'x' }],
  ['{"a": "x\\\\', { a: 'x\\' }],
  ['{"a": 1, "b"', { a: 1 }],
  ['{"a": 1,', { a: 1 }],
  ['[1, 2.5, {"b": tr', [1, 2.5, { b: true }]],
  ['[1, nul', [1, null]],
  ['[[], {}, [', [[], {}, []]],
  ['"open', 'open'],
  ['{"a": {"b": [1', { a: { b: [1] } }],
  ['not json', undefined],
  ['{]', {}],
])('the beginning %j tells %j', (text, value) => {
  expect(partialJson(text)).toEqual(value);
});
