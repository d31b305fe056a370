import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The server that `npm run dev` talks to. */
const SERVER = process.env['HOLDFAST_URL'] ?? 'http://127.0.0.1:4437';

export default defineConfig({
  base: './', // so that the app can lie at any path of a host
  esbuild: { jsx: 'automatic', legalComments: 'external' },
  resolve: {
    alias: { '@holdfast/client': fileURLToPath(new URL('../client-js/src/index.ts', import.meta.url)) },
    dedupe: ['react'],
  },
  build: {
    outDir: 'target/site.new',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0, // the content security policy allows no data: but for images
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/api': { target: SERVER, ws: true, changeOrigin: true } } },
  test: { include: ['test/**/*.test.{ts,tsx}'], testTimeout: 120_000, hookTimeout: 120_000 },
});
