// Writes what the published clients make of the chunk sequences in cases.mjs, as test data of the Java tests.
// Run it with `npm ci && npm run generate` after changing a case or a version in package.json.
import { writeFileSync } from 'node:fs';
import * as ai5 from 'ai5';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { cases, partialTexts } from './cases.mjs';
import { gateCases } from './gate-cases.mjs';
import { gateData } from './gate.mjs';

const clients = { 5: ai5, 6: ai6, 7: ai7 };
const folder = new URL('../resources/dev/holdfast/uimessage/', import.meta.url);

async function read(client, { before, chunks }) {
  // The reader reports after a change only, and not after every kind of one: a last start with the same id makes it report the final state.
  const all = structuredClone([...chunks, { type: 'start', messageId: 'm1' }]);
  const errors = [];
  let message;
  const states = client.readUIMessageStream({
    message: structuredClone(before ?? { id: 'm1', role: 'assistant', parts: [] }),
    stream: new ReadableStream({
      start(controller) {
        all.forEach(chunk => controller.enqueue(chunk));
        controller.close();
      },
    }),
    onError: error => errors.push(error),
  });
  for await (const state of states) {
    message = state;
  }
  if (errors.some(error => error.message !== 'boom')) {
    throw errors[0];
  }
  return JSON.parse(JSON.stringify(message));
}

const messages = [];
for (const { majors, ...rest } of cases) {
  const expected = {};
  for (const major of majors) {
    expected[major] = await read(clients[major], rest);
  }
  messages.push({ ...rest, expected });
}
writeFileSync(new URL('client-messages.json', folder), JSON.stringify(messages, null, 1) + '\n');

const partial = [];
for (const text of partialTexts) {
  for (let length = 0; length <= text.length; length++) {
    const prefix = text.slice(0, length);
    const { value } = await ai7.parsePartialJson(prefix);
    partial.push(value === undefined ? { text: prefix } : { text: prefix, value });
  }
}
writeFileSync(new URL('client-partial-json.json', folder), JSON.stringify(partial, null, 1) + '\n');
writeFileSync(new URL('client-gate.json', folder), JSON.stringify(await gateData(clients, cases, gateCases), null, 1) + '\n');
console.log(`${messages.length} messages, ${partial.length} partial texts`);
