// Asks the published clients what they accept, as test data of the gate: part of `npm run generate`.
// A client checks the schema of each chunk first, then applies it.

export async function accepts(client, chunk) {
  const schema = typeof client.uiMessageChunkSchema === 'function' ? client.uiMessageChunkSchema() : client.uiMessageChunkSchema;
  return (await client.asSchema(schema).validate(chunk)).success;
}

/** Whether the client reads the whole sequence. */
export async function follows(client, { before, chunks }) {
  const errors = [];
  for (const chunk of chunks) {
    if (!(await accepts(client, chunk))) {
      return false;
    }
  }
  const states = client.readUIMessageStream({
    message: structuredClone(before ?? { id: 'm1', role: 'assistant', parts: [] }),
    stream: new ReadableStream({
      start(controller) {
        chunks.forEach(chunk => controller.enqueue(structuredClone(chunk)));
        controller.close();
      },
    }),
    onError: error => errors.push(error),
  });
  for await (const state of states) {
    void state;
  }
  return errors.length === 0;
}

export async function gateData(clients, cases, gateCases) {
  const sequences = [];
  for (const { gated = {}, ...rest } of gateCases) {
    const all = {};
    const refused = [];
    for (const [major, client] of Object.entries(clients)) {
      all[major] = gated[major] ?? rest.chunks;
      const sent = all[major].filter(chunk => chunk.type !== '(cut)');
      if (!(await follows(client, { before: rest.before, chunks: sent }))) {
        throw new Error(`client ${major} does not follow what the gate lets through: ${rest.name}`);
      }
      if (!(await follows(client, rest))) {
        refused.push(Number(major));
      }
    }
    sequences.push({ ...rest, gated: all, refused });
  }
  const chunks = new Map();
  for (const { chunks: some } of [...cases, ...gateCases]) {
    some.forEach(chunk => chunks.set(JSON.stringify(chunk), chunk));
  }
  const accepted = [];
  for (const chunk of chunks.values()) {
    const majors = [];
    for (const [major, client] of Object.entries(clients)) {
      if (await accepts(client, chunk)) {
        majors.push(Number(major));
      }
    }
    accepted.push({ chunk, majors });
  }
  return { sequences, accepted };
}
