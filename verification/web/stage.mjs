import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { ask, Device, launch } from './app.mjs';

/** What a file of scenes plays on: one browser, and one server that the test runs for it. */
export function stage(prefix) {
  let browser;
  let server;
  before(async () => {
    browser = await launch();
    server = await ask('server/start');
  });
  after(() => browser?.close());

  /** Plays a scene; no window of it may have an error of its own. */
  const scene = (name, play) =>
    test(`${prefix}@app: ${name}`, async () => {
      const devices = [];
      const open = async (options, url = server) => {
        const device = await Device.open(browser, url, options);
        devices.push(device);
        await device.page.waitForSelector('.composer, .console, .gate');
        return device;
      };
      try {
        await play(open, server);
        assert.deepEqual(devices.flatMap(device => device.failures), []);
      } finally {
        await Promise.all(devices.map(device => device.close()));
      }
    });
  return scene;
}
