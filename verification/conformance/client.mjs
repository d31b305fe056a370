// Writes and reads with the published client: node client.mjs URL json|bytes MESSAGES. Prints "written N" as it goes, and at last whether every
// reader got exactly what was written.
import { createHash } from "node:crypto"
import { createFetchWithBackoff, DurableStream, IdempotentProducer } from "@durable-streams/client"

const [url, kind, messages] = [process.argv[2], process.argv[3], Number(process.argv[4])]
const json = kind === "json"
const stream = await DurableStream.create({
  url,
  contentType: json ? "application/json" : "application/octet-stream",
})

function message(i) {
  if (json) {
    return { i, text: `message ${i}: \r\n é 😀 ${"x".repeat(i % 50)}` }
  }
  const bytes = new Uint8Array(1 + (i % 300))
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = (i * 31 + at * 7) % 256
  }
  return bytes
}

async function write() {
  // By itself a producer gives up what it was sending when its server is gone. One batch at a time, so that none overtakes the one that is
  // tried again.
  const producer = new IdempotentProducer(stream, "writer", {
    lingerMs: 1,
    maxBatchBytes: 2000,
    maxInFlight: 1,
    fetch: createFetchWithBackoff(fetch, { initialDelay: 20, maxDelay: 500, multiplier: 1.5 }),
    onError: (error) => {
      console.log(`the producer failed: ${error}`)
      process.exit(1)
    },
  })
  for (let i = 0; i < messages; i++) {
    producer.append(json ? JSON.stringify(message(i)) : message(i))
    if (i % 20 === 19) {
      await producer.flush()
      console.log(`written ${i + 1}`)
    }
  }
  await producer.detach()
  await stream.close() // unlike the close of a producer, this is tried again
  console.log("closed")
}

// Attaches again at the last offset whenever the connection is lost, as an application does. What an attachment that was given up still
// delivers is not taken.
async function read(live, take) {
  let offset = "-1"
  let attaches = 0
  for (;;) {
    const attached = ++attaches
    try {
      const response = await stream.stream({ offset, live, json })
      await new Promise((resolve, reject) => {
        const onBatch = async (batch) => {
          if (attached === attaches) {
            take(json ? batch.items : batch.data)
            offset = batch.offset
            if (batch.streamClosed) {
              resolve()
            }
          }
        }
        json ? response.subscribeJson(onBatch) : response.subscribeBytes(onBatch)
        response.closed.then(() => setTimeout(reject, 200), reject)
      })
      return attaches
    } catch (e) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

function digest(parts) {
  const hash = createHash("sha256")
  parts.forEach((part) => hash.update(json ? JSON.stringify(part) + "\n" : part))
  return hash.digest("hex")
}

async function check(live) {
  const got = []
  const attaches = await read(live, (some) => (json ? got.push(...some) : got.push(some)))
  return { live, attaches, digest: digest(got) }
}

const readers = [check("sse"), check("long-poll")]
await write()
readers.push(check(false))
const wanted = digest(Array.from({ length: messages }, (_, i) => message(i)))
for (const reader of await Promise.all(readers)) {
  const verdict = reader.digest === wanted ? "exact" : "WRONG"
  console.log(`${verdict} ${reader.live} after ${reader.attaches} attaches`)
}
console.log("done")
process.exit(0)
