import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe } from 'node:test';
import { DESKTOP, PHONE } from './app.mjs';
import { Network } from '../shared/network.mjs';
import { stage } from './stage.mjs';

const scene = stage('conversations');

/** Most of a scene is waiting for the demo, which takes its time as a model does; so some are played at once. */
describe('with a server that lives', { concurrency: 3 }, () => {
  scene('what was sent is no draft of the next conversation', async open => {
    const device = await open(DESKTOP);
    await device.send('Hello');
    await device.page.locator('.message[data-role=assistant][data-message]').first().waitFor();
    await device.untilWritten();
    await device.page.keyboard.press('Alt+n');
    await device.page.locator('.message').first().waitFor({ state: 'detached' });
    assert.equal(await device.page.locator('.composer textarea').inputValue(), '');
  });

  scene('a summary that the model reads is shown where it ends, and can be taken away', async (open, server) => {
    const device = await open(DESKTOP);
    await device.send('What does a kill leave?');
    await device.page.locator('.message[data-role=assistant]').first().waitFor();
    await device.send('And then?');
    await device.page.locator('.message[data-role=user]').nth(1).waitFor();
    const session = new URL(device.page.url()).hash.split('/')[2];
    const at = `${server.replace(/\/$/, '')}/api/v1/sessions/${session}`;
    const first = (await (await fetch(`${at}/messages?order=root`)).json()).messages[0].id;
    const put = await fetch(`${at}/overlays`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ from: first, to: first, summary: 'A kill was asked about.' }),
    });
    assert.equal(put.status, 201);
    await device.page.reload();
    await device.page.getByText('The model reads a summary').click();
    await device.see('A kill was asked about.');
    await device.button('Let it read the messages').click();
    await device.page.getByText('The model reads a summary').waitFor({ state: 'detached' });
    assert.deepEqual((await (await fetch(`${at}/overlays`)).json()).overlays, []);
  });

  scene('an edited message begins a branch, and both can be read', async open => {
    const device = await open(DESKTOP);
    await device.send('Call a tool');
    await device.see('it made that up');
    const asked = device.page.locator('.message[data-role=user]').last();
    await asked.hover();
    await asked.getByRole('button', { name: 'Edit message' }).click();
    await device.page.getByLabel('Edit your message').fill('Hello instead');
    await device.button('Send as a new branch').click();
    await device.see('To talk to a model instead');
    await device.see('2/2');
    await device.button('Version before').click();
    await device.see('it made that up');
  });

  scene('a message that was found on another branch is shown with its answer, and a reload and an export keep to the branch', async (open, server) => {
    const network = new Network(server);
    await network.up();
    const device = await open(DESKTOP, network.url);
    const word = `wrack${Date.now()}`;
    await device.send(`Hello ${word}`);
    await device.see('To talk to a model instead');
    await device.send('Hello once more');
    await device.page.locator('.message[data-role=assistant]').nth(1).waitFor();
    await device.untilWritten();
    const asked = device.page.locator('.message[data-role=user]').first();
    await asked.hover();
    await asked.getByRole('button', { name: 'Edit message' }).click();
    await device.page.getByLabel('Edit your message').fill('Hello instead');
    await device.button('Send as a new branch').click();
    await device.see('2/2');
    await device.untilWritten();
    await device.page.keyboard.press('Control+k');
    await device.page.getByLabel('Search titles and messages').fill(word);
    await device.page.getByRole('region', { name: 'Messages' }).locator('.hits a').first().click();
    await device.page.locator('.message[data-found]', { hasText: word }).waitFor();
    await device.see('Hello once more');
    await device.see('Another branch');
    assert.equal(await device.page.locator('.message').count(), 4);
    await device.button('Back to the latest').click();
    await device.see('2/2');
    await device.button('Version before').click();
    await device.see('Hello once more');
    await device.page.reload();
    await device.see('Hello once more');
    await device.see('Another branch');
    const exported = readFileSync(await (await device.exported('Markdown')).path(), 'utf8');
    assert.ok(exported.includes('Hello once more'));
    assert.ok(!exported.includes('Hello instead'));
    network.down();
    await device.untilStanding('Reconnecting');
    await device.send('Hello on this branch');
    await device.page.locator('.message[data-outgoing]', { hasText: 'Hello on this branch' }).waitFor();
    await device.see('Hello once more');
    await device.send('Hello behind it');
    await device.page.locator('.message[data-outgoing]', { hasText: 'Hello behind it' }).waitFor();
    await network.up();
    await device.page.locator('.message[data-outgoing]').first().waitFor({ state: 'detached' });
    await device.see('Hello on this branch');
    await device.see('Hello behind it');
    await device.page.getByText('Another branch').waitFor({ state: 'detached' });
    await device.see('Hello once more');
    const address = device.page.url();
    assert.ok(!address.includes('leaf='), address);
    await device.page.goto(`${address}?leaf=none`);
    await device.see('has no message "none"');
    await device.see('Hello on this branch');
    assert.equal(device.page.url(), address);
    network.down();
  });

  scene('a message is edited with its files, from its end, and given up with Escape', async open => {
    const device = await open(DESKTOP);
    await device.page.setInputFiles('input[type=file]', { name: 'kept.txt', mimeType: 'text/plain', buffer: Buffer.from('mine') });
    await device.page.locator('.chosen li[data-status=ready]', { hasText: 'kept.txt' }).waitFor();
    await device.send('Hello with a file');
    await device.see('To talk to a model instead');
    await device.untilWritten();
    const edit = device.button('Edit message');
    const area = device.page.getByLabel('Edit your message');
    await edit.click();
    assert.equal(await area.evaluate(element => element.selectionStart), 'Hello with a file'.length);
    await device.page.getByLabel('Files that stay with it').getByText('kept.txt').waitFor();
    await device.page.keyboard.press('Escape');
    await device.page.locator('[aria-label="Edit message"]:focus').waitFor();
    await edit.click();
    await device.page.keyboard.type(', and more');
    await device.page.keyboard.press('Control+Enter');
    await device.page.locator('.composer textarea:focus').waitFor();
    await device.see('2/2');
    await device.page.locator('.message', { hasText: 'Hello with a file, and more' }).getByRole('button', { name: 'kept.txt' }).waitFor();
  });

  scene('messages are found by their words, and conversations have titles', async open => {
    const device = await open(DESKTOP);
    const word = `kelp${Date.now()}`;
    await device.send(`Tell me about ${word}, please`);
    await device.see('To talk to a model instead');
    await device.page.locator('.side-list', { hasText: word }).waitFor();
    await device.page.locator('.wide.primary').click();
    await device.page.locator('.welcome').waitFor();
    await device.page.keyboard.press('Control+k');
    await device.page.getByLabel('Search titles and messages').fill(word);
    await device.page.getByRole('region', { name: 'Messages' }).locator('.hits a').first().click();
    await device.page.locator('.message[data-found]', { hasText: word }).waitFor();
    await device.button('Title, export, delete').click();
    await device.page.getByLabel('Title', { exact: true }).fill('All about kelp');
    await device.button('Rename').click();
    await device.page.locator('.top h1', { hasText: 'All about kelp' }).waitFor();
  });

  scene('a title that is set is seen at once on the other device, and found by its words with the keyboard alone', async open => {
    const first = await open(DESKTOP);
    await first.send('Hello there');
    await first.see('To talk to a model instead');
    const second = await open(PHONE, first.page.url());
    await second.page.locator('.top h1', { hasText: 'Hello there' }).waitFor();
    const word = `sargassum${Date.now()}`;
    await first.button('Title, export, delete').click();
    await first.page.getByLabel('Title', { exact: true }).fill(`The ${word} sea`);
    // What the list says comes later than this, and only after the feed did.
    await second.page.route('**/api/v1/sessions?*', route => route.abort());
    await first.button('Rename').click();
    await second.page.locator('.top h1', { hasText: word }).waitFor();
    await first.page.locator('.wide.primary').click();
    await first.page.locator('.welcome').waitFor();
    const { keyboard } = first.page;
    const focused = () => first.page.evaluate(() => document.activeElement.textContent || document.activeElement.tagName);
    await keyboard.press('Control+k');
    await first.page.getByLabel('Search titles and messages').fill(word);
    await first.page.getByRole('region', { name: 'Conversations' }).locator('.hits a').first().waitFor();
    await keyboard.press('ArrowDown');
    assert.equal(await focused(), `The ${word} sea`);
    await keyboard.press('ArrowUp');
    assert.equal(await focused(), 'INPUT');
    await keyboard.press('Alt+n');
    assert.equal(await first.page.locator('dialog[open]').count(), 1);
    await keyboard.press('Enter');
    await first.page.locator('.top h1', { hasText: word }).waitFor();
    assert.equal(await first.page.locator('dialog[open]').count(), 0);
    await keyboard.press('Control+k');
    await first.page.getByLabel('Search titles and messages').fill('sea');
    await keyboard.press('Escape');
    await first.page.locator('dialog[open]').waitFor({ state: 'detached' });
  });

  scene('a word that was found is in sight, however long its message is', async open => {
    const device = await open(DESKTOP);
    const word = `fucus${Date.now()}`;
    const filler = Array.from({ length: 120 }, (_, line) => `Filler ${line}`).join('\n');
    await device.send(`${filler}\n${word}\n${filler}`);
    await device.see('To talk to a model instead');
    await device.page.locator('.wide.primary').click();
    await device.page.locator('.welcome').waitFor();
    await device.page.keyboard.press('Control+k');
    await device.page.getByLabel('Search titles and messages').fill(word);
    await device.page.getByRole('region', { name: 'Messages' }).locator('.hits a').first().waitFor();
    await device.page.keyboard.press('Enter');
    await device.page.waitForFunction(wanted => {
      const texts = document.createTreeWalker(document.querySelector('.list') ?? document.body, NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
        const at = node.nodeValue.indexOf(wanted);
        if (at >= 0) {
          const range = document.createRange();
          range.setStart(node, at);
          range.setEnd(node, at + wanted.length);
          const { top, bottom } = range.getBoundingClientRect();
          return top > document.querySelector('.top').clientHeight && bottom < document.querySelector('.composer').getBoundingClientRect().top;
        }
      }
      return false;
    }, word);
  });

  scene('files are chosen, pasted and dropped, and come back as they were', async open => {
    const device = await open(DESKTOP);
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
    await device.page.setInputFiles('input[type=file]', { name: 'dot.png', mimeType: 'image/png', buffer: png });
    for (const [event, field, name] of [['paste', 'clipboardData', 'pasted.txt'], ['drop', 'dataTransfer', 'dropped.txt']]) {
      await device.page.locator('.composer textarea').evaluate(
        (element, [type, property, file]) => {
          const files = new DataTransfer();
          files.items.add(new File([`I am ${file}`], file, { type: 'text/plain' }));
          const init = { bubbles: true, cancelable: true, [property]: files };
          element.dispatchEvent(type === 'paste' ? new ClipboardEvent(type, init) : new DragEvent(type, init));
        },
        [event, field, name]);
    }
    await device.page.waitForFunction(() => document.querySelector('.chosen img.thumb')?.naturalWidth === 1);
    for (const name of ['dot.png', 'pasted.txt', 'dropped.txt']) {
      await device.page.locator('.chosen li[data-status=ready]', { hasText: name }).waitFor();
    }
    await device.send('Hello with files');
    await device.page.locator('.message img.picture').waitFor();
    await device.page.waitForFunction(() => document.querySelector('img.picture').naturalWidth === 1);
    const [download] = await Promise.all([device.page.waitForEvent('download'), device.page.getByRole('button', { name: 'dropped.txt' }).click()]);
    assert.equal(readFileSync(await download.path(), 'utf8'), 'I am dropped.txt');
  });

  scene('files that were chosen stay with the conversation that they were chosen for', async open => {
    const device = await open(DESKTOP);
    await device.send('Hello without files');
    await device.see('To talk to a model instead');
    await device.page.keyboard.press('Alt+n');
    await device.page.locator('.welcome').waitFor();
    await device.page.setInputFiles('input[type=file]', { name: 'own.txt', mimeType: 'text/plain', buffer: Buffer.from('mine') });
    await device.page.locator('.chosen li[data-status=ready]', { hasText: 'own.txt' }).waitFor();
    await device.page.goBack();
    await device.see('Hello without files');
    assert.equal(await device.page.locator('.chosen li').count(), 0);
    await device.page.goForward();
    await device.page.locator('.chosen li[data-status=ready]', { hasText: 'own.txt' }).waitFor();
    await device.send('Hello with my own file');
    await device.page.locator('.message').getByRole('button', { name: 'own.txt' }).waitFor();
    assert.equal(await device.page.locator('.chosen li').count(), 0);
  });

  scene('a file that was chosen for a message that is never sent leaves no conversation in the list, and files too many are named', async (open, server) => {
    const device = await open(DESKTOP);
    const file = number => ({ name: `file ${number}.txt`, mimeType: 'text/plain', buffer: Buffer.from(`I am ${number}`) });
    await device.page.setInputFiles('input[type=file]', Array.from({ length: 12 }, (_, number) => file(number)));
    await device.see('10 files go with one message. Left out: file 10.txt, file 11.txt.');
    await device.page.locator('.chosen li[data-status=ready]').nth(9).waitFor();
    assert.deepEqual(await device.page.locator('.chosen .name').allInnerTexts(), Array.from({ length: 10 }, (_, number) => `file ${number}.txt`));
    await device.button('Remove file 0.txt').click();
    await device.page.locator('.left-out').waitFor({ state: 'detached' });
    const isEmpty = session => (session.title ?? null) === null && session.createdAt === session.updatedAt;
    const made = (await (await fetch(`${server.replace(/\/$/, '')}/api/v1/sessions?limit=500`)).json()).sessions.filter(isEmpty);
    assert.notEqual(made.length, 0);
    const other = await open(DESKTOP);
    await other.send('Hello beside it');
    await other.page.locator('.side-list', { hasText: 'Hello beside it' }).waitFor();
    const listed = await other.page.locator('.side-list a').evaluateAll(links => links.map(link => link.getAttribute('href')));
    assert.deepEqual(made.filter(session => listed.includes(`#/chat/${session.id}`)), []);
  });

  scene('a conversation is exported, and deleted', async (open, server) => {
    const device = await open(DESKTOP);
    await device.send('Hello export');
    await device.see('To talk to a model instead');
    const download = await device.exported('Markdown');
    assert.match(download.suggestedFilename(), /\.md$/);
    await device.button('Title, export, delete').click();
    await device.button('Delete this conversation').click();
    const address = device.page.url();
    const other = await open(PHONE, address);
    await other.see('To talk to a model instead');
    await device.button('Delete for good, with all messages').click();
    await device.page.locator('.tries').waitFor();
    await other.see("This conversation isn't here.");
    await device.page.goto(address);
    await device.see("This conversation isn't here.");
    assert.equal(await device.button('Title, export, delete').count(), 0);
    assert.equal(await device.page.title(), 'No such conversation · Holdfast');
    assert.deepEqual(await device.axe(), []);
    await device.send('Hello again');
    await device.see('To talk to a model instead');
    assert.equal(device.page.url(), address);
    await other.see('To talk to a model instead');
    await device.page.goto(`${server}/#/nonsense`);
    await device.see('There is nothing at this address.');
  });

  scene('the console shows what runs, and drops this connection', async open => {
    const device = await open(DESKTOP);
    await device.send('Give me a long answer');
    await device.untilLine(1);
    const session = new URL(device.page.url()).hash.split('/')[2];
    const reader = await open(PHONE, device.page.url());
    await reader.untilLine(2);
    await device.page.locator('.side').getByText('Console').click();
    await device.page.locator('section[aria-label=Turns] tr', { hasText: 'streaming' }).getByText('Give me a long answer').first().waitFor();
    const stream = device.page.locator('section[aria-label="Live streams"] tbody tr', { has: device.page.locator(`a[href="#/chat/${session}"]`) });
    await device.page.waitForFunction(async id => {
      const figures = await (await fetch('./api/v1/console')).json();
      return figures.streams.find(each => each.sessionId === id)?.readers === 2; // the phone, and the console itself
    }, session);
    await stream.locator('td:nth-child(4)', { hasText: /^1$/ }).waitFor();
    await device.button('Drop my connection').click();
    await device.see('none missing');
    await device.untilStanding('Connected');
    await device.page.goBack();
    await device.button('Stop').click();
    await device.see('Stopped here');
  });

  scene('axe finds nothing serious, in light and dark, on both widths', async (open, server) => {
    for (const size of [DESKTOP, PHONE]) {
      for (const colorScheme of ['light', 'dark']) {
        const device = await open({ ...size, colorScheme });
        assert.deepEqual(await device.axe(), [], `welcome, ${colorScheme}`);
        await device.send('Show me markdown');
        await device.see('Read on at the next chunk.');
        await device.page.locator('.code .hljs-string').first().waitFor();
        assert.deepEqual(await device.axe(), [], `chat, ${colorScheme}`);
        await device.page.keyboard.press('Control+k');
        await device.page.getByLabel('Search titles and messages').waitFor();
        assert.deepEqual(await device.axe(), [], `search, ${colorScheme}`);
        await device.page.keyboard.press('Escape');
        await device.page.goto(`${server}/#/console`);
        await device.page.locator('.console').waitFor();
        assert.deepEqual(await device.axe(), [], `console, ${colorScheme}`);
      }
    }
  });
});
