import type { OutboxEntry, SessionState } from '@holdfast/client';
import { expect, test } from 'vitest';
import { isGone } from '../src/live/gone';

const state = (fields: Partial<SessionState>) => ({ session: 's', status: 'detached', ...fields }) as SessionState;
const entry = (session: string) => ({ session }) as OutboxEntry;

test.each(['not-found', 'deleted'] as const)('a conversation is gone that is %s', reason => expect(isGone(state({ reason }), [entry('other')])).toBe(true));

test('one that cannot be had for another reason, is not known yet, or is there is not gone', () => {
  expect(isGone(state({ reason: 'not-authorized' }), [])).toBe(false);
  expect(isGone(state({ status: 'waiting' }), [])).toBe(false);
  expect(isGone(state({ status: 'attached' }), [])).toBe(false);
  expect(isGone(undefined, [])).toBe(false);
});

test('one that a message is about to begin is not gone', () => expect(isGone(state({ reason: 'not-found' }), [entry('s')])).toBe(false));
