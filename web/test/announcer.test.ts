import { expect, test } from 'vitest';
import { saying } from '../src/chat/Announcer';
import type { Doing } from '../src/chat/Announcer';

const idle: Doing = { writing: false, waits: false, outcome: undefined };
const writes: Doing = { ...idle, writing: true };
const waits: Doing = { ...idle, waits: true };

test.each<[string, Doing, Doing, string | null]>([
  ['that an answer begins', idle, writes, 'The answer is being written.'],
  ['that it waits', writes, waits, 'The answer waits for you.'],
  ['that it goes on', waits, writes, 'The answer is being written.'],
  ['that one that waited was stopped', waits, { ...idle, outcome: 'stopped' }, 'The answer was stopped.'],
  ['that it is complete', writes, { ...idle, outcome: 'completed' }, 'The answer is complete.'],
  ['that it failed', writes, { ...idle, outcome: 'failed' }, 'The answer failed.'],
  ['nothing of what was before the page', idle, { ...idle, outcome: 'stopped' }, null],
  ['nothing twice', writes, writes, null],
])('who listens is told %s', (_, before, now, words) => expect(saying(before, now)).toBe(words));
