import type { SessionEvent } from '@holdfast/client';
import { expect, test } from 'vitest';
import { ResumeLog } from '../src/live/resume-log';

const chunk = (seq: number, turn = 't'): SessionEvent => ({ kind: 'chunk', turn, seq, data: { type: 'text-delta' } });
const ended: SessionEvent = { kind: 'turn-ended', seq: 9, at: '', turn: 't', outcome: 'completed' };

function log(): ResumeLog {
  const made = new ResumeLog(() => 7);
  made.events('s', [chunk(0), chunk(1), chunk(2)]);
  return made;
}

test('an answer that goes on at the next chunk misses none', () => {
  const resumes = log();
  resumes.lost('cut');
  resumes.events('s', [chunk(3), chunk(4)]);
  expect(resumes.entries()).toEqual([{ id: 1, at: 7, why: 'cut', session: 's', turn: 't', last: 2, next: 3, missing: 0 }]);
});

test('a gap is told as one', () => {
  const resumes = log();
  resumes.lost('cut');
  resumes.events('s', [chunk(5)]);
  expect(resumes.entries()[0]).toMatchObject({ next: 5, missing: 2 });
});

test('losses in a row are one, told for its first reason', () => {
  const resumes = log();
  resumes.lost('cut');
  resumes.lost('cut again');
  resumes.events('s', [chunk(3)]);
  expect(resumes.entries()).toHaveLength(1);
  expect(resumes.entries()[0]?.why).toBe('cut');
});

test('a turn that ended meanwhile is told to have its message', () => {
  const resumes = log();
  resumes.lost('cut');
  resumes.events('s', [ended]);
  expect(resumes.entries()[0]).toMatchObject({ next: null, missing: 0 });
});

test('where nothing was read, nothing is told', () => {
  const resumes = new ResumeLog();
  resumes.lost('cut');
  resumes.events('s', [chunk(0)]);
  expect(resumes.entries()).toEqual([]);
});

test('a stream that is begun anew, or a session that is read anew, is not compared', () => {
  const resumes = log();
  resumes.lost('cut');
  resumes.events('s', [{ kind: 'stream-opened', turn: 't', messageId: 'm' }, chunk(0)]);
  expect(resumes.entries()).toEqual([]);
  resumes.lost('cut');
  resumes.forget('s');
  resumes.events('s', [chunk(9)]);
  expect(resumes.entries()).toEqual([]);
});
