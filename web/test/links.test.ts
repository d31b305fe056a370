import { expect, test } from 'vitest';
import { plain, safeLink } from '../src/markdown/links';

test.each(['javascript:alert(1)', 'JaVaScRiPt:alert(1)', ' javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd', '/api/v1/sessions', '//', 'blob:x'])(
  'an address that does something else than to lead somewhere is no link: %s',
  href => expect(safeLink(href)).toBeUndefined(),
);

test.each([
  ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
  ['http://example.com', 'http://example.com/'],
  ['mailto:a@example.com', 'mailto:a@example.com'],
])('%s is one', (href, safe) => expect(safeLink(href)).toBe(safe));

test('entities stand for their characters, once', () => expect(plain('a &amp;lt; b &lt;i&gt;')).toBe('a &lt; b <i>'));
