import { defineConfig } from 'vitest/config';

/** Tests against the server whose address HOLDFAST_URL has, and whose turns it lets the tests steer. */
export default defineConfig({
  test: {
    include: ['test-server/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
