// Tabs of a real browser with page.mjs, and what they show.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { ORIGIN, PATIENCE_MS, stored, until } from './stage.mjs';

/** Chromium asks nobody but the servers of the test. */
const QUIETLY = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
];

/** The cache of pages that were left is on, as it is for users. */
export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: QUIETLY,
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  });

/** A browser in which a tab is hidden while another one is in front of it; in those that playwright starts, every tab is shown. */
export class Desk {
  static async open() {
    const desk = new Desk();
    desk.folder = await mkdtemp(join(tmpdir(), 'holdfast-browser-'));
    const own = ['--headless', '--remote-debugging-port=0', `--user-data-dir=${desk.folder}`, 'about:blank'];
    desk.process = spawn(process.env.CHROMIUM, [...QUIETLY, ...own], { stdio: ['ignore', 'ignore', 'pipe'] });
    desk.browser = await chromium.connectOverCDP(await addressOf(desk.process), { noDefaults: true });
    desk.context = desk.browser.contexts()[0];
    desk.context.setDefaultTimeout(PATIENCE_MS);
    return desk;
  }

  /** A tab in front of all others. */
  async cover() {
    const page = await this.context.newPage();
    await page.bringToFront();
    return page;
  }

  async close() {
    const ended = new Promise(resolve => this.process.once('exit', resolve));
    await this.browser.close();
    this.process.kill('SIGKILL');
    await ended;
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** What Chromium says on its standard error. */
function addressOf(process) {
  return new Promise((resolve, reject) => {
    let said = '';
    process.stderr.on('data', data => {
      said += data;
      const address = /DevTools listening on (ws:\S+)/.exec(said);
      if (address) {
        resolve(address[1]);
      }
    });
    process.once('error', reject);
    process.once('exit', code => reject(new Error(`Chromium ended with ${code}: ${said}`)));
  });
}

/** A browser without a past: a device of its own. */
export async function profile(browser) {
  const context = await browser.newContext();
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

export class Tab {
  constructor(page, session) {
    this.page = page;
    this.session = session;
    this.failures = [];
    page.on('pageerror', error => this.failures.push(String(error)));
  }

  static async open(context, { server, session, transport }) {
    const tab = new Tab(await context.newPage(), session);
    await tab.page.goto(`${ORIGIN}/?${new URLSearchParams({ server, session, transport })}`);
    await tab.ready();
    return tab;
  }

  ready = () => this.page.waitForFunction(() => window.holdfast !== undefined);

  async reload() {
    await this.page.reload();
    await this.ready();
  }

  async send(text) {
    await this.page.fill('input', text);
    await this.page.click('#send');
  }

  /** The `data-` attributes of the page. */
  shown = () => this.page.$eval('main', main => ({ ...main.dataset }));

  messages = () =>
    this.page.$$eval('article', articles =>
      articles.map(({ dataset, textContent }) => ({ id: dataset.id, role: dataset.role, text: textContent })));

  /** What the page counted: `sent`, `applied`, `answers`, `states` or `shows`. */
  counted = what => this.page.evaluate(name => window.holdfast[name], what);

  sentOf = async type => (await this.counted('sent')).filter(each => each === type).length;

  async untilShown(wanted) {
    let seen;
    await until(
      async () => {
        seen = await this.shown();
        return Object.entries(wanted).every(([name, value]) => seen[name] === value);
      },
      () => `${JSON.stringify(wanted)}, but ${JSON.stringify(seen)}`);
    return seen;
  }

  connected = () => this.untilShown({ status: 'connected', session: 'attached' });

  /** Waits for another connection than this one, and returns its id. */
  async otherConnection(than) {
    let seen;
    await until(
      async () => {
        seen = await this.shown();
        return seen.status === 'connected' && seen.connection !== than;
      },
      () => `another connection than ${than}, but ${JSON.stringify(seen)}`);
    return seen.connection;
  }

  async untilText(wanted) {
    let seen;
    await until(
      async () => {
        const last = (await this.messages()).at(-1);
        seen = last?.role === 'assistant' ? last.text : '';
        return wanted.test(seen);
      },
      async () => `a text like ${wanted}, but "${seen}" in ${JSON.stringify(await this.shown())}`);
    return seen;
  }

  /** No turn is left, what is shown is what the store has, each message once, and no event came twice. */
  async assertCanonical(server, text) {
    await this.untilText(text);
    await this.untilShown({ turns: '0', unsent: '0' });
    const messages = await this.messages();
    assert.deepEqual(messages, await stored(server, this.session));
    assert.equal(new Set(messages.map(message => message.id)).size, messages.length);
    const applied = await this.counted('applied');
    assert.equal(new Set(applied).size, applied.length, `an event came twice: ${applied}`);
    assert.deepEqual(this.failures, []);
  }
}
