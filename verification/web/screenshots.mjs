// Makes the pictures of docs/web.md: node screenshots.mjs URL FOLDER, with CHROMIUM for the browser. The server answers with its demo.
import { join } from 'node:path';
import { DESKTOP, Device, launch, PHONE } from './app.mjs';

const [, , url, folder] = process.argv;
const browser = await launch();
const take = (device, name) => device.page.screenshot({ path: join(folder, `web-${name}.png`) });

let talk;
for (const [size, options] of [['desktop', DESKTOP], ['phone', { ...PHONE, deviceScaleFactor: 1 }]]) {
  for (const colorScheme of ['light', 'dark']) {
    const device = await Device.open(browser, url, { ...options, colorScheme, reducedMotion: 'reduce' });
    const name = what => `${what}-${size}-${colorScheme}`;
    await device.untilStanding('Connected');
    await device.page.waitForSelector('.welcome');
    await take(device, name('welcome'));
    if (talk === undefined) {
      await device.send('What does a kill leave? Show me markdown');
      await device.see('Read on at the next chunk.');
      await device.page.locator('.code .hljs-string').first().waitFor();
      await device.send('Run a tool, and let me approve it');
      await device.button('Approve').waitFor();
      talk = device.page.url();
    }
    await device.page.goto(talk);
    await device.button('Approve').waitFor();
    await take(device, name('chat'));
    await device.page.goto(url);
    await device.page.waitForSelector('.welcome');
    await device.send('Give me a long answer');
    await device.untilLine(2);
    await device.page.click('.badge');
    await device.button('Drop my connection').click();
    await device.untilStanding('Reconnecting');
    await take(device, name('dropped'));
    await device.see('none missing');
    await take(device, name('resumed'));
    await device.page.keyboard.press('Escape');
    await device.page.goto(`${url}/#/console`);
    await device.page.locator('section[aria-label="Live streams"] tbody tr').first().waitFor();
    await take(device, name('console'));
    await device.close();
  }
}
await browser.close();
