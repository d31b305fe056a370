import { expect, test } from 'vitest';
import { parseRoute, routeTo } from '../src/route';
import type { Route } from '../src/route';

test.each<[Route]>([
  [{ page: 'new' }],
  [{ page: 'console' }],
  [{ page: 'chat', session: 'plain', message: null, find: null, leaf: null }],
  [{ page: 'chat', session: 'with space & ü?#', message: 'm/1 &x=y', find: 'crème & 東', leaf: null }],
  [{ page: 'chat', session: 'plain', message: null, find: null, leaf: 'm/1 &x=y' }],
])('an address leads to what it was made of: %o', route => expect(parseRoute(routeTo(route))).toEqual(route));

test.each(['', '#', '#/'])('an address without a page begins anew: %s', hash => expect(parseRoute(hash)).toEqual({ page: 'new' }));

test.each(['#/nowhere', '#/chat', '#/chat/', '#/chat/%E0%A4%A'])('an address that is none of the app says so: %s', hash => expect(parseRoute(hash)).toEqual({ page: 'unknown' }));
