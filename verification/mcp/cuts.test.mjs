// Connections are cut at every frame and within frames: each message arrives once, in order, and so does the answer.

import assert from 'node:assert/strict';
import test from 'node:test';
import { LEGACY } from './clients.mjs';
import { Network } from './network.mjs';

const SERVER = new URL(process.env.MCP_URL);
const TO = 5;
const NUMBERS = Array.from({ length: TO }, (_, i) => String(i + 1));

/** The first event, which has only an id, the numbers, and the answer. */
const FRAMES = 1 + TO + 1;

/** None of the next frame, its first byte, its id and a part of its data. */
const BYTES = [0, 1, 150];

/** A call, or a client that comes back for the rest of one. */
const isWanted = said => said.includes('"method":"tools/call"') || said.includes('last-event-id:');

/** A client that does not have the first event's id cannot come back: a cut before that is not one it can survive, whatever the server does. */
function* cuts() {
  for (let frames = 1; frames < FRAMES; frames++) {
    for (const bytes of BYTES) {
      yield { frames, bytes };
    }
  }
}

for (const [name, connect] of Object.entries(LEGACY)) {
  test(`${name}@ every cut`, { concurrency: 8 }, async t => {
    const all = [...cuts()].map(cut =>
      t.test(`cut@${name} behind ${cut.frames} frames and ${cut.bytes} bytes`, async () => {
        // The one that comes back is cut as well, behind the first frame that is new to it.
        const network = await new Network(SERVER, isWanted, [cut, { frames: 1, bytes: 30 }]).open();
        const client = await connect(network.url);
        assert.equal(await client.call('count', { to: TO, pauseMillis: 5 }), `Counted to ${TO}.`);
        assert.deepEqual(client.heard, NUMBERS);
        assert.ok(network.harmed >= 1, 'nothing was cut');
        await client.close();
        network.close();
      }),
    );
    await Promise.all(all);
  });
}
