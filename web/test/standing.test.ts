import type { SessionState } from '@holdfast/client';
import { expect, test } from 'vitest';
import { standing } from '../src/connection/standing';
import type { Known } from '../src/connection/standing';

const known = (fields: Partial<Known>): Known => ({
  connection: { status: 'connected', connection: 'c', transport: 'websocket' },
  session: undefined,
  outbox: [],
  online: true,
  sinceMillis: 0,
  ...fields,
});
const entry = { status: 'pending' } as Known['outbox'][number];
const waiting = { status: 'waiting', detail: 'lost', pauseMillis: 4200 } as const;

test.each<[string, Partial<Known>]>([
  ['Connected', {}],
  ['Sending 1', { outbox: [entry] }],
  ['Replaying', { session: { status: 'waiting' } as SessionState }],
  ['Connecting', { connection: { status: 'connecting' } }],
  ['Catching up', { connection: { status: 'connecting' }, session: { cursor: 'x' } as SessionState }],
  ['Reconnecting in 5 s', { connection: waiting }],
  ['Reconnecting in 3 s, 1 kept here', { connection: waiting, sinceMillis: 1500, outbox: [entry] }],
  ['Reconnecting in 0 s', { connection: waiting, sinceMillis: 9000 }],
  ['Offline, 1 kept here', { connection: waiting, online: false, outbox: [entry] }],
  ['Offline', { online: false }],
  ['Offline', { connection: { status: 'connecting' }, online: false }],
  ['Key needed', { connection: { status: 'ended', reason: 'unauthorized', detail: '' } }],
  ['Not connected', { connection: { status: 'disconnected' } }],
])('it is said to be: %s', (label, fields) => expect(standing(known(fields)).label).toBe(label));

test('a message that was refused is not on its way', () => {
  expect(standing(known({ outbox: [{ status: 'failed' } as Known['outbox'][number]] })).label).toBe('Connected');
});
