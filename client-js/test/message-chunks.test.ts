import { describe, expect, test } from 'vitest';
import { catchUp } from '../src/ai/catch-up.js';
import { ChunkGate } from '../src/ai/gate.js';
import { partChunks } from '../src/ai/message-chunks.js';
import { Fold } from '../src/fold.js';
import type { Chunk, Part, PreviewMessage } from '../src/fold.js';

const call = (state: string, more: object = {}): Part => ({ type: 'tool-where', toolCallId: 'c', state, input: { city: 'Graz' }, ...more });

const types = (chunks: Chunk[]) => chunks.map(chunk => chunk.type);

const PARTS: Part[] = [
  { type: 'step-start' },
  { type: 'text', text: 'Hi', state: 'done' },
  { type: 'reasoning', id: 'r', text: 'Hm', state: 'done' },
  call('input-streaming'),
  call('input-available'),
  call('output-available', { output: 1 }),
  call('output-available', { output: 1, preliminary: true }),
  call('output-error', { errorText: 'no' }),
  call('output-available', { output: 1, providerExecuted: true }),
  { ...call('output-available', { output: 1 }), type: 'dynamic-tool', toolName: 'where' },
  call('approval-requested', { approval: { id: 'a' } }),
  call('approval-responded', { approval: { id: 'a', approved: true } }),
  call('output-denied', { approval: { id: 'a', approved: false, reason: 'no' } }),
  { type: 'file', url: 'data:,x', mediaType: 'text/plain' },
  { type: 'data-x', id: 'x', data: 1 },
];

test.each(PARTS)('the chunks of a part make the part: %j', part => {
  const fold = Fold.begin('m');
  partChunks(part, '0').forEach(chunk => fold.apply(chunk));
  expect(fold.message().parts).toEqual([part]);
});

test('a call that has its result is told without the chunk at which a page runs its tool', () => {
  expect(types(partChunks(call('output-available', { output: 1 }), ''))).toEqual(['tool-input-start', 'tool-input-delta', 'tool-output-available']);
  expect(types(partChunks(call('input-available'), ''))).toEqual(['tool-input-available']);
});

describe('what is missing of a message', () => {
  const message = (...parts: Part[]): PreviewMessage => ({ id: 'm', role: 'assistant', parts });

  function has(...chunks: Chunk[]): Fold {
    const fold = Fold.begin('m');
    chunks.forEach(chunk => fold.apply(chunk));
    return fold;
  }

  /** What the page has once it was told. */
  function caughtUp(fold: Fold, wants: PreviewMessage) {
    const missing = catchUp(fold, wants, true);
    if (typeof missing === 'string') {
      return missing;
    }
    missing.forEach(chunk => fold.apply(chunk));
    return fold.message().parts;
  }

  test.each(PARTS)('wherever the page is within a message, it has the whole in the end: %j', last => {
    const wants = message({ type: 'step-start' }, { type: 'text', text: 'Hello', state: 'done' }, last);
    const whole: Chunk[] = [
      { type: 'start-step' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'Hel' },
      { type: 'text-delta', id: 't', delta: 'lo' },
      { type: 'text-end', id: 't' },
      ...partChunks(last, 'l'),
    ];
    for (let i = 0; i <= whole.length; i++) {
      expect(caughtUp(has(...whole.slice(0, i)), wants)).toEqual(wants.parts);
    }
  });

  test('a message that is a beginning of what the page has is waited for', () => {
    const fold = has({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Hello' });
    expect(catchUp(fold, message({ type: 'text', text: 'Hel', state: 'streaming' }), false)).toBe('behind');
    expect(catchUp(fold, message(), false)).toBe('behind');
    expect(catchUp(fold, message(), true)).toBe('different');
  });

  test.each([
    [{ type: 'text', text: 'Howdy', state: 'streaming' }],
    [{ type: 'text', text: 'Hel', state: 'done' }],
    [{ type: 'reasoning', text: 'Hello', state: 'streaming' }],
  ])('another message is different: %j', part => {
    const fold = has({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Hello' });
    expect(catchUp(fold, message(part), false)).toBe('different');
  });
});

describe('what each major accepts', () => {
  const strange: Chunk[] = [
    { type: 'nobody-knows-this' },
    { type: 'custom', kind: 'a.b' },
    { type: 'reasoning-file', url: 'data:,x', mediaType: 'text/plain' },
    { type: 'tool-output-available', toolCallId: 'of nobody', output: 1 },
    { type: 'tool-input-delta', toolCallId: 'of nobody', inputTextDelta: '' },
    { type: 'text-end', id: 'of nobody' },
    { type: 'tool-input-available', toolCallId: 'c', toolName: 'pay', input: {} },
    { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' },
    { type: 'tool-approval-response', approvalId: 'a', approved: false },
    { type: 'tool-output-denied', toolCallId: 'c' },
    { type: 'text-delta', id: 't', delta: 'x' },
    { type: 'finish', finishReason: 'interrupted' },
  ];

  test.each([
    [5, ['tool-input-available', 'tool-output-error', 'text-start', 'text-delta', 'finish other']],
    [6, ['tool-input-available', 'tool-approval-request', 'tool-output-denied', 'text-start', 'text-delta', 'finish other']],
    [7, ['custom', 'reasoning-file', 'tool-input-available', 'tool-approval-request', 'tool-approval-response', 'tool-output-denied', 'text-start', 'text-delta', 'finish interrupted']],
  ] as const)('%i', (major, expected) => {
    const gate = new ChunkGate(major);
    const told = strange.flatMap(chunk => gate.admit(chunk));
    expect(told.map(chunk => (chunk.type === 'finish' ? `finish ${String(chunk['finishReason'])}` : chunk.type))).toEqual(expected);
  });

  test('results say to 5 whether their call is dynamic', () => {
    const before: PreviewMessage = { id: 'm', role: 'assistant', parts: [{ type: 'dynamic-tool', toolName: 'x', toolCallId: 'c' }] };
    const result: Chunk = { type: 'tool-output-available', toolCallId: 'c', output: 1 };
    expect(new ChunkGate(5, before).admit(result)).toEqual([{ ...result, dynamic: true }]);
    expect(new ChunkGate(6, before).admit(result)).toEqual([result]);
  });
});
