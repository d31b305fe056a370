// Bundles page.jsx with the ai and @ai-sdk/react of each major, as pages/MAJOR.js.

import { build } from 'esbuild';

await Promise.all([5, 6, 7].map(major =>
  build({
    entryPoints: ['page.jsx'],
    outfile: `pages/${major}.js`,
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    minify: true,
    alias: { ai: `ai${major}`, '@ai-sdk/react': `react${major}` },
    define: { AI_MAJOR: String(major), 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  })));
