import { expect, test } from 'vitest';
import { parseRoute, routeTo } from '../src/route';
import type { Route } from '../src/route';

test.each<Route>([
  { page: 'new' },
  { page: 'console' },
  { page: 'chat', session: 'plain', message: null, find: null },
  { page: 'chat', session: 'with space & ü?#', message: 'm/1 &x=y', find: 'crème & 東' },
])('an address leads to what it was made of: %o', route => expect(parseRoute(routeTo(route))).toEqual(route));

test.each(['', '#', '#/', '#/nowhere', '#/chat', '#/chat/', '#/chat/%E0%A4%A'])('an address that is none of the app begins anew: %s', hash =>
  expect(parseRoute(hash)).toEqual({ page: 'new' }),
);
