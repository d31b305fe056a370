import type { SessionEvent } from '@holdfast/client';
import { expect, test } from 'vitest';
import { mayChangeTitle } from '../src/sessions/use-title';

const event = (fields: object) => ({ seq: 1, at: '2026-01-01T00:00:00Z', turn: 't', ...fields }) as unknown as SessionEvent;

test('a title that was set counts, whether there was one or not', () => {
  const set = event({ kind: 'property-changed', name: 'holdfast/title' });
  expect(mayChangeTitle(set, null)).toBe(true);
  expect(mayChangeTitle(set, 'Bread')).toBe(true);
  expect(mayChangeTitle(event({ kind: 'property-changed', name: 'holdfast/overlays/1' }), null)).toBe(false);
});

test.each(['turn-started', 'turn-ended'])('a conversation without a title may have one with %s', kind => {
  expect(mayChangeTitle(event({ kind }), null)).toBe(true);
  expect(mayChangeTitle(event({ kind }), 'Bread')).toBe(false);
});

test('what comes often changes no title', () => expect(mayChangeTitle(event({ kind: 'chunk' }), null)).toBe(false));
