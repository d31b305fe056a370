import { expect, test } from 'vitest';
import { stateOf } from '../src/chat/ToolView';

test('a call that its turn left without a result is told from one that failed', () => {
  expect(stateOf({ type: 'tool-oven', state: 'output-error', errorText: 'The tool call was interrupted and has no result.' })).toBe('cut-short');
  expect(stateOf({ type: 'tool-oven', state: 'output-error', errorText: 'It is on fire' })).toBe('output-error');
  expect(stateOf({ type: 'tool-oven', state: 'output-denied' })).toBe('output-denied');
});
