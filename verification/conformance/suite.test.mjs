// Registers every test of the published suite against the server at CONFORMANCE_URL, and remembers what the tests left there.
import { writeFileSync } from "node:fs"
import { afterAll } from "vitest"
import { runConformanceTests } from "@durable-streams/server-conformance-tests"

const streams = new Set()
const appends = []
const orders = []
const PRODUCER = ["Producer-Id", "Producer-Epoch", "Producer-Seq"]

const plainFetch = globalThis.fetch
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init?.body ? { ...init, body: undefined } : init)
  const response = await plainFetch(input, init)
  const path = new URL(request.url).pathname
  if (request.method === "PUT" && response.status === 201) {
    streams.add(path)
  }
  if (request.method === "POST" && response.status === 200 && request.headers.has(PRODUCER[0])) {
    appends.push({
      path,
      contentType: request.headers.get("Content-Type"),
      producer: PRODUCER.map((name) => request.headers.get(name)),
    })
  }
  if (request.method === "POST" && response.ok && request.headers.has("Stream-Seq")) {
    orders.push({
      path,
      contentType: request.headers.get("Content-Type"),
      order: request.headers.get("Stream-Seq"),
    })
  }
  return response
}

afterAll(() => {
  writeFileSync(process.env.CONFORMANCE_LEFT, JSON.stringify({ streams: [...streams], appends, orders }))
})

runConformanceTests({
  baseUrl: process.env.CONFORMANCE_URL,
  longPollTimeoutMs: 20_000,
  subscriptions: process.env.CONFORMANCE_SUBSCRIPTIONS === "1",
})
