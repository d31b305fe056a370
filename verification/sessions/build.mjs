// Bundles page.mjs with the client, whose sources are at CLIENT, as page.js.

import { build } from 'esbuild';

await build({
  entryPoints: ['page.mjs'],
  outfile: 'page.js',
  bundle: true,
  format: 'esm',
  alias: { '@holdfast/client': process.env.CLIENT },
  logLevel: 'warning',
});
