import assert from 'node:assert/strict';
import test from 'node:test';
import { ask, BASE, load, openChat, until } from './chat.mjs';
import { sentBy, shownIn } from './recorded.mjs';

async function events(name) {
  const response = await fetch(`${BASE}/test/recordings/${name}`);
  return (await response.text()).split('\n').map(line => JSON.parse(line));
}

/** What the page shows and what the store has are what the provider sent. */
async function assertSent(chat, sent) {
  assert.equal(chat.status, 'ready', String(chat.error));
  assert.deepEqual(shownIn(chat.messages.at(-1), sent), sent);
  const stored = (await load(chat.id)).messages.at(-1);
  assert.deepEqual(shownIn(stored, sent), sent);
  assert.equal(chat.messages.at(-1).id, stored.id);
  assert.deepEqual(chat.messages.at(-1).metadata, stored.metadata);
}

for (const major of [5, 6, 7]) {
  for (const name of process.env.RECORDINGS.split(',')) {
    test(`ai@${major}: ${name}`, async () => {
      const recorded = await events(name);
      const sent = sentBy(name, recorded);
      const live = openChat(major, `live-${major}-${name}`);
      await live.sendMessage({ text: 'Hello?' }, { body: { agent: name } });
      await assertSent(live, sent);

      const agent = `${name}-${major}`;
      const release = count => ask(`recordings/${agent}/release?events=${count}`);
      const gone = openChat(major, `reloaded-${major}-${name}`);
      void gone.sendMessage({ text: 'Hello?' }, { body: { agent } });
      await release(Math.floor(recorded.length / 2));
      await until(() => gone.messages[1]?.parts.some(part => part.text || part.input), 'the beginning of the answer');
      await gone.stop();
      const loaded = await load(gone.id);
      assert.equal(loaded.live, true);
      const page = openChat(major, gone.id, { messages: loaded.messages });
      const resumed = page.resumeStream();
      await release(recorded.length);
      await resumed;
      await assertSent(page, sent);
    });
  }
}
