// The same cut with the SDK's own transport, which shows that the test can fail: the rest of the messages is lost, and so is the answer.

import assert from 'node:assert/strict';
import test from 'node:test';
import { LEGACY } from './clients.mjs';
import { Network } from './network.mjs';

const SERVER = new URL(process.env.MCP_URL);

for (const [name, connect] of Object.entries(LEGACY)) {
  test(`stock@ ${name} behind one cut`, async () => {
    const network = await new Network(SERVER, said => said.includes('"method":"tools/call"'), [{ frames: 2, bytes: 0 }]).open();
    const client = await connect(network.url);
    await assert.rejects(client.call('count', { to: 5, pauseMillis: 20 }, { timeout: 2000 }));
    assert.deepEqual(client.heard, ['1', '2']);
    assert.equal(network.harmed, 1);
    network.down(); // so that it stops coming back
    await client.close().catch(() => {});
    network.close();
  });
}
