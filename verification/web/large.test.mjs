import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { ask, DESKTOP, Device, launch } from './app.mjs';
import { Network } from '../shared/network.mjs';

const SERVER = process.env.CONTROL_URL;
const DELTAS = 20_000;
/** Drawn one by one, the deltas would be 20,000 steps. */
const MOST_STEPS = 2_000;
/** What is in sight, and a margin. */
const MOST_IN_PAGE = 60;

let browser;

before(async () => {
  browser = await launch();
});

after(() => browser?.close());

test('large@app: of 5,000 messages only those in sight are in the page', async () => {
  const device = await Device.open(browser, `${SERVER}/#/chat/large`, DESKTOP);
  await device.see('Message 5000 of 5000.');
  const list = device.page.locator('.list');
  await list.hover();
  for (const share of [0.3, 0.3, 0.3, 2]) {
    await device.page.mouse.wheel(0, -share * (await list.evaluate(element => element.scrollHeight)));
    await device.page.locator('.message').first().waitFor();
    const inPage = await device.page.locator('.message').count();
    assert.ok(inPage < MOST_IN_PAGE, `${inPage} messages are in the page`);
  }
  await device.see('Message 1 of 5000.');
  await device.button('Latest').click();
  await device.see('Message 5000 of 5000.');
  assert.deepEqual(device.failures, []);
  await device.close();
});

test('large@app: 20,000 deltas that came meanwhile are drawn in few steps, and all are there', async t => {
  const network = new Network(SERVER);
  await network.up();
  const device = await Device.open(browser, network.url, DESKTOP);
  await device.page.waitForSelector('.composer');
  await device.send('Hello');
  await device.see('The flood begins.');
  network.down();
  await device.untilStanding('Reconnecting');
  await ask('flood');
  await device.page.evaluate(() => {
    window.steps = 0;
    window.longest = 0;
    new MutationObserver(() => window.steps++).observe(document.querySelector('.list'), { childList: true, characterData: true, subtree: true });
    new PerformanceObserver(list => list.getEntries().forEach(entry => (window.longest = Math.max(window.longest, entry.duration)))).observe({ type: 'longtask' });
  });
  await network.up();
  await device.see(`w${DELTAS - 1}`);
  const { steps, longest } = await device.page.evaluate(() => ({ steps: window.steps, longest: window.longest }));
  t.diagnostic(`${steps} steps, the longest task ${Math.round(longest)} ms`);
  assert.ok(steps < MOST_STEPS, `${steps} steps`);
  await ask('end');
  await device.see('The flood is over.');
  const words = await device.page.locator('.message[data-role=assistant]').innerText();
  assert.deepEqual(words.match(/\bw\d+\b/g), Array.from({ length: DELTAS }, (_, number) => `w${number}`));
  assert.deepEqual(device.failures, []);
  network.down();
  await device.close();
});
