import { defineConfig } from "vitest/config"

export default defineConfig({
  test: { include: ["suite.test.mjs"], cache: false, watch: false, testTimeout: 60_000, hookTimeout: 60_000 },
})
