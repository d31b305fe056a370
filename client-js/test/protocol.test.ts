import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generate, targetPath } from '../scripts/generate.mjs';

test('the types are those of the schema: generating them again gives the same file', async () => {
  expect(await generate()).toBe(readFileSync(targetPath, 'utf8'));
});
