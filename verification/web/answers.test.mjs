import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe } from 'node:test';
import { ask, DESKTOP, PHONE } from './app.mjs';
import { Network } from '../shared/network.mjs';
import { stage } from './stage.mjs';

const scene = stage('answers');

/** Each line of the long answer once, in order. */
function assertGapless(lines) {
  assert.deepEqual(lines, lines.map((_, index) => index + 1));
}

/** Most of a scene is waiting for the demo, which takes its time as a model does; so some are played at once. */
describe('with a server that lives', { concurrency: 3 }, () => {
  scene('an answer streams, and is the same after a reload in its middle', async open => {
    const device = await open(DESKTOP);
    await device.send('Give me a long answer');
    await device.untilLine(3);
    const before = await device.lines();
    await device.page.reload();
    await device.untilLine(before.at(-1) + 2);
    assertGapless(await device.lines());
    await device.button('Stop').click();
    await device.see('Stopped here');
  });

  scene('the page says when its network is gone, keeps what is sent, and goes on without a gap', async (open, server) => {
    const network = new Network(server);
    await network.up();
    const device = await open(DESKTOP, network.url);
    await device.send('Give me a long answer');
    await device.untilLine(2);
    network.down();
    await device.untilStanding('Reconnecting');
    const cut = (await device.lines()).at(-1);
    await device.send('Hello from the tunnel');
    await device.see('Kept here until it can be sent');
    await device.untilStanding('1 kept here');
    await network.up();
    await device.untilLine(cut + 3);
    assertGapless(await device.lines().then(lines => lines.slice(0, cut + 2)));
    await device.untilStanding('Connected');
    await device.page.locator('.message[data-outgoing]').waitFor({ state: 'detached' });
    await device.see('Hello from the tunnel');
    network.down();
  });

  scene('a dropped connection is shown to resume at the very next chunk', async open => {
    const device = await open(DESKTOP);
    await device.send('Give me a long answer');
    await device.untilLine(2);
    await device.page.click('.badge');
    await device.button('Drop my connection').click();
    await device.see('none missing');
    const told = await device.page.locator('.resumes li').first().innerText();
    const [, last, next] = /after chunk (\d+), on at chunk (\d+)/.exec(told);
    assert.equal(Number(next), Number(last) + 1);
    await device.page.keyboard.press('Escape');
    await device.button('Stop').click();
    await device.see('Stopped here');
  });

  scene('a page in the background is brought up to date when it is shown again', async open => {
    const device = await open(DESKTOP);
    await device.send('Give me a long answer');
    await device.untilLine(2);
    const session = await device.context.newCDPSession(device.page);
    const show = state =>
      device.page.evaluate(value => {
        Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => value });
        document.dispatchEvent(new Event('visibilitychange'));
      }, state);
    await show('hidden');
    const hidden = (await device.lines()).at(-1);
    await session.detach();
    await show('visible');
    await device.untilLine(hidden + 3);
    assertGapless(await device.lines());
    await device.button('Stop').click();
    await device.see('Stopped here');
  });

  scene('two devices show the same, and one takes over from the other', async open => {
    const first = await open(DESKTOP);
    await first.send('Give me a long answer');
    await first.untilLine(2);
    const second = await open(PHONE, first.page.url());
    await second.untilLine(4);
    await second.button('Stop').click();
    await first.see('Stopped here');
    await second.see('Stopped here');
    await second.send('Hello from the phone');
    await first.see('Hello from the phone');
    await first.see('goes on in another tab or on another device');
    await first.see('To talk to a model instead');
    await second.see('To talk to a model instead');
    await Promise.all([first, second].map(device => device.untilWritten()));
    assert.deepEqual((await first.texts()).at(-1), (await second.texts()).at(-1));
  });

  scene('an approval is answered on the other device', async open => {
    const first = await open(DESKTOP);
    await first.send('Run a tool, and let me approve it');
    await first.button('Approve').waitFor();
    const second = await open(PHONE, first.page.url());
    await second.button('Approve').click();
    await first.see('You approved it');
    await first.button('Approve').waitFor({ state: 'detached' });
    await second.see('You approved it');
  });

  scene('a denied tool does not run', async open => {
    const device = await open(DESKTOP);
    await device.send('Run a tool, and let me approve it');
    await device.button('Deny').click();
    await device.see('You denied it');
  });

  scene('a stop is final', async open => {
    const device = await open(DESKTOP);
    await device.send('Give me a long answer');
    await device.untilLine(2);
    await device.button('Stop').click();
    await device.see('Stopped here');
    const stopped = await device.lines();
    await device.page.reload();
    await device.see('Stopped here');
    assert.deepEqual(await device.lines(), stopped);
  });

  scene('a message that is sent while an answer is written once more follows the new answer', async open => {
    const device = await open(DESKTOP);
    await device.send('Give me a long answer');
    await device.untilLine(2);
    await device.button('Stop').click();
    await device.see('Stopped here');
    await device.page.locator('.message').last().getByRole('button', { name: 'Retry' }).click();
    await device.page.locator('.message[data-writing]').waitFor();
    await device.untilLine(2);
    await device.send('And now this');
    const order = () =>
      device.page.locator('.message').evaluateAll(all =>
        all.map(message => (message.dataset.role === 'user' ? message.innerText.includes('And now this') && 'second' : message.innerText.includes('Line 1 of 60') && 'long') || 'other'),
      );
    await device.see('Waits in the queue');
    assert.deepEqual(await order(), ['other', 'long', 'second', 'other']);
    await device.button('Stop').click();
    await device.page.locator('.message[data-role=assistant][data-message]').nth(1).waitFor();
    await device.untilWritten();
    assert.deepEqual(await order(), ['other', 'long', 'second', 'other']);
    await device.page.reload();
    await device.page.locator('.message[data-role=assistant][data-message]').nth(1).waitFor();
    assert.deepEqual(await order(), ['other', 'long', 'second', 'other']);
  });

  scene('a failure is told, and retried as a branch beside it', async open => {
    const device = await open(DESKTOP);
    await device.send('Please fail');
    await device.see('The agent failed here');
    const answer = device.page.locator('.message[data-role=assistant]').last();
    await answer.hover();
    await answer.getByRole('button', { name: 'Retry' }).click();
    await device.see('2/2');
    await device.button('Version before').click();
    await device.see('1/2');
    await device.see('Another branch');
    await device.button('Back to the latest').click();
    await device.see('2/2');
  });

  scene('a message that waits in the queue stays in sight, and a turn that waits for an approval can be stopped', async open => {
    const device = await open(DESKTOP);
    await device.send('tool, first of two');
    await device.page.locator('.message[data-role=user]').first().waitFor();
    await device.send('approve, the second');
    await device.page.getByText('asks for your approval').waitFor();
    const texts = await device.page.locator('.message[data-role=user] .said').allTextContents();
    assert.deepEqual(texts, ['tool, first of two', 'approve, the second']);
    await device.button('Stop').click();
    await device.see('Stopped here');
    await device.see('stopped, not answered');
    assert.equal(await device.page.locator('.tool[data-state=output-error]').count(), 0);
    await device.page.locator('[role=status]', { hasText: 'The answer was stopped.' }).waitFor({ state: 'attached' });
    const exported = readFileSync(await (await device.exported('Markdown')).path(), 'utf8');
    assert.match(exported, /No result: the turn ended before the tool had one\./);
    assert.doesNotMatch(exported, /Error:/);
  });

  scene('without a network nothing is called connected, and an answer rests', async open => {
    const device = await open(DESKTOP);
    await device.send('Give me a long answer');
    await device.untilLine(2);
    await device.context.setOffline(true);
    await device.untilStanding('Offline');
    await device.see('Paused here');
    await device.page.keyboard.press('Control+k');
    await device.page.getByLabel('Search titles and messages').fill('answer');
    await device.see('The server could not be reached.');
    await device.page.keyboard.press('Escape');
    assert.equal(await device.page.locator('.caret').evaluate(caret => getComputedStyle(caret).animationName), 'none');
    await device.context.setOffline(false);
    await device.untilStanding('Connected');
    await device.page.locator('.paused').waitFor({ state: 'hidden' });
    await device.button('Stop').click();
    await device.see('Stopped here');
  });

  scene('reasoning, tables, lists and code are shown as what they are', async open => {
    const device = await open(DESKTOP);
    await device.send('Show me markdown');
    await device.see('Read on at the next chunk.');
    assert.equal(await device.page.locator('.markdown table tbody tr').count(), 3);
    await device.page.locator('.code .hljs-string').first().waitFor();
    await device.see('Thoughts');
  });

  scene('what a message says cannot become a script or lead somewhere unsafe', async (open, server) => {
    const device = await open(DESKTOP);
    await device.send('Hello <img src=x onerror="document.title=1"><script>document.title=2</script> [x](javascript:document.title=3)');
    await device.see('To talk to a model instead');
    assert.equal(await device.page.locator('.message img, .message script, .message a[href^=javascript]').count(), 0);
    assert.match(await device.page.title(), /Holdfast$/);
    const policy = (await fetch(server)).headers.get('content-security-policy');
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe/);
  });

  scene('what is opened at the end of a conversation grows below its heading', async open => {
    const device = await open({ viewport: { width: 1280, height: 500 } });
    await device.send('Call a tool');
    await device.see('it made that up');
    await device.untilWritten();
    const summary = device.page.locator('.tool summary').last();
    await summary.scrollIntoViewIfNeeded();
    const before = (await summary.boundingBox()).y;
    await summary.click();
    await device.page.locator('.tool details[open] pre').first().waitFor();
    await device.page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.equal((await summary.boundingBox()).y, before);
    assert.equal(await device.page.evaluate(() => document.querySelector('.top').getBoundingClientRect().y), 0);
  });

  scene('everything can be done with the keyboard', async open => {
    const device = await open(DESKTOP);
    const { keyboard } = device.page;
    await device.page.locator('.composer textarea:focus').waitFor();
    await keyboard.type('Give me a long answer');
    await keyboard.press('Enter');
    await device.untilLine(2);
    await device.page.locator('.composer textarea').focus();
    await keyboard.press('Escape');
    await device.see('Stopped here');
    await keyboard.press('Alt+n');
    await device.page.locator('.welcome').waitFor();
  });

  scene('on a phone the list of conversations lies over the page', async open => {
    const device = await open(PHONE);
    await device.send('Hello phone');
    await device.see('To talk to a model instead');
    await device.button('Conversations').click();
    await device.page.locator('.side').getByText('Hello phone').first().click();
    await device.page.locator('.veil').waitFor({ state: 'detached' });
    const wide = await device.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    assert.equal(wide, false);
  });
});

scene('the server is killed in the middle of an answer, and started again', async (open, server) => {
  const device = await open(DESKTOP);
  await device.send('Give me a long answer');
  await device.untilLine(3);
  await ask('server/kill');
  await device.untilStanding('Reconnecting');
  const before = (await device.lines()).at(-1);
  assert.equal(await ask('server/start'), server);
  await device.untilLine(before + 3);
  assertGapless(await device.lines());
  assert.equal(await device.page.getByText('The process that wrote this was lost').count(), 0, 'it went on');
  await device.button('Stop').click();
  await device.see('Stopped here');
});
