// The protocol's reference server on a free port: in memory, or with files if a folder is given.
import { DurableStreamTestServer } from "@durable-streams/server"

const [dataDir] = process.argv.slice(2)
const server = new DurableStreamTestServer({ host: "127.0.0.1", port: 0, ...(dataDir ? { dataDir } : {}) })
console.log("Reference server listening on " + (await server.start()))
