// The web app in a window of a real browser, as a person uses it.

import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

export const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 120_000);

/** Chromium asks nobody but the page's server. */
const QUIETLY = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
];

export const DESKTOP = { viewport: { width: 1280, height: 800 } };
export const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM, args: QUIETLY });

/** Asks the test that runs this process for something. */
export async function ask(what) {
  const response = await fetch(`${process.env.CONTROL_URL}/test/${what}`, { method: 'POST' });
  if (!response.ok) {
    throw new Error(`${what}: ${response.status} ${await response.text()}`);
  }
  return response.text();
}

const AXE = readFileSync(new URL('./node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

/** One device: a window with a memory of its own. */
export class Device {
  static async open(browser, url, options = DESKTOP) {
    const device = new Device();
    // The scripts of the tests' own are kept out by the policy, as all others are; whether that holds is a scene of its own.
    device.context = await browser.newContext(options);
    device.context.setDefaultTimeout(PATIENCE_MS);
    device.page = await device.context.newPage();
    device.failures = [];
    device.page.on('pageerror', error => device.failures.push(String(error)));
    device.page.on('console', message => message.text().includes('Content Security Policy') && device.failures.push(message.text()));
    await device.page.goto(url);
    return device;
  }

  close = () => this.context.close();

  async send(text) {
    await this.page.fill('.composer textarea', text);
    await this.page.click('.composer [type=submit]');
  }

  button = name => this.page.getByRole('button', { name, exact: true });

  see = text => this.page.getByText(text).first().waitFor();

  /** What the connection is said to be. */
  untilStanding = text => this.page.locator('.badge', { hasText: text }).waitFor();

  /** The number of the last line of the long answer that is to be seen. */
  async lines() {
    const text = await this.#long().innerText();
    return [...text.matchAll(/Line (\d+) of 60/g)].map(match => Number(match[1]));
  }

  untilLine = number => this.#long().getByText(`Line ${number} of 60`).waitFor();

  #long = () => this.page.locator('.message', { hasText: 'Line 1 of 60' }).last();

  /** No answer is being written any more. */
  untilWritten = () => this.page.locator('.message[data-writing]').waitFor({ state: 'detached' });

  /** The conversation as a file. */
  async exported(format) {
    await this.button('Title, export, delete').click();
    const [download] = await Promise.all([this.page.waitForEvent('download'), this.button(format).click()]);
    return download;
  }

  texts = () => this.page.locator('.message').allInnerTexts();

  /** What axe finds that is serious or worse. Its script comes through the browser's own door, which no policy closes. */
  async axe() {
    const session = await this.context.newCDPSession(this.page);
    await session.send('Runtime.evaluate', { expression: AXE });
    const { result } = await session.send('Runtime.evaluate', {
      expression: 'axe.run().then(found => JSON.stringify(found.violations))',
      awaitPromise: true,
    });
    await session.detach();
    return JSON.parse(result.value)
      .filter(violation => ['serious', 'critical'].includes(violation.impact))
      .map(violation => `${violation.id}: ${violation.nodes.map(node => `${node.target} ${node.failureSummary}`).join('; ')}`);
  }
}
