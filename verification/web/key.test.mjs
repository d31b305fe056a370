import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { ask, DESKTOP, Device, launch } from './app.mjs';

let browser;
let server;

before(async () => {
  browser = await launch();
  server = await ask('server/start');
});

after(() => browser?.close());

test('key@app: a key is asked for once, tried, and kept for the tab', async () => {
  const device = await Device.open(browser, server, DESKTOP);
  const key = device.page.getByLabel('API key');
  await key.fill('hf_wrong');
  await device.button('Continue').click();
  await device.see('The server does not know that key.');
  assert.deepEqual(await device.axe(), []);
  await key.fill('hf_key_of_the_scene');
  await device.button('Continue').click();
  await device.untilStanding('Connected');
  await device.send('Hello');
  await device.see('To talk to a model instead');
  await device.page.reload();
  await device.see('To talk to a model instead');
  assert.deepEqual(device.failures, []);
  const other = await Device.open(browser, server, DESKTOP);
  await other.page.getByLabel('API key').waitFor();
  await Promise.all([device, other].map(each => each.close()));
});
