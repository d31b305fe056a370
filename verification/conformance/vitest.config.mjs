import { defineConfig } from "vitest/config"

// The suite itself gives a server 2 to 5 s for what it does, which a busy machine may miss: only then a test is tried again.
const TOO_LATE = /timed out|abort|expected (''|null) /i

export default defineConfig({
  test: {
    include: ["suite.test.mjs"],
    cache: false,
    watch: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    retry: { count: 2, condition: TOO_LATE },
  },
})
