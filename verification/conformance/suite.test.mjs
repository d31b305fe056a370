// Registers every test of the published suite against the server at CONFORMANCE_URL.
import { runConformanceTests } from "@durable-streams/server-conformance-tests"

runConformanceTests({
  baseUrl: process.env.CONFORMANCE_URL,
  longPollTimeoutMs: 20_000,
  subscriptions: process.env.CONFORMANCE_SUBSCRIPTIONS === "1",
})
