// Watches sessions by the client of Holdfast, as a page does that shows them all: at each change it looks at the messages. Prints "ready" once all are attached, and for
// each line of its input how many chunks it was told of so far.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [module, url, transport, ...sessions] = process.argv.slice(2);
const { HoldfastClient } = await import(pathToFileURL(module));
const client = new HoldfastClient({ url, transport });
let chunks = 0;
let parts = 0;
const waiting = new Set(sessions);

for (const session of sessions) {
  const view = client.watch(session);
  view.subscribe(update => {
    if (update.type === 'events') {
      for (const event of update.events) {
        chunks += event.kind === 'chunk' && event.data?.type === 'text-delta' ? 1 : 0;
      }
    }
    parts += view.messages.at(-1)?.parts.length ?? 0;
    if (update.state.status === 'attached' && waiting.delete(session) && waiting.size === 0) {
      console.log('ready');
    }
  });
}
client.connect();
createInterface({ input: process.stdin }).on('line', () => console.log(chunks));
