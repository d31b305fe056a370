// What package.json exports is there, under the package's own name as its users have it.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
assert.deepEqual(manifest.dependencies ?? {}, {}, 'the client needs nothing at run time');

for (const [name, target] of Object.entries(manifest.exports)) {
  if (typeof target === 'object') {
    for (const file of Object.values(target)) {
      assert.ok(existsSync(new URL(`../${file}`, import.meta.url)), `${name}: ${file} is missing`);
    }
  }
}
for (const name of ['ai', 'react']) {
  await import(`${manifest.name}/${name}`);
}
const { HoldfastClient } = await import(manifest.name);
assert.equal(new HoldfastClient({ url: 'http://127.0.0.1:1' }).state.status, 'disconnected');
