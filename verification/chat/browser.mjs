// Pages of page.jsx in a real browser, and what they show.

import { chromium } from 'playwright-core';
import { BASE, until } from './chat.mjs';

/** Chromium asks nobody but the page's server. */
const QUIETLY = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
];

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM, args: QUIETLY });

/** One window of the chat `id` that is served by `server`. */
export class Window {
  constructor(page) {
    this.page = page;
    this.failures = [];
    page.on('pageerror', error => this.failures.push(String(error)));
  }

  static async open(context, major, id, server) {
    const window = new Window(await context.newPage());
    await window.page.goto(`${BASE}/page/${major}?${new URLSearchParams({ chat: id, server })}`);
    await window.page.waitForSelector('main');
    return window;
  }

  async reload() {
    await this.page.reload();
    await this.page.waitForSelector('main');
  }

  async send(text) {
    await this.page.fill('input', text);
    await this.page.click('#send');
  }

  click = selector => this.page.click(selector);

  /** A `data-` attribute of the page. */
  attribute = name => this.page.getAttribute('main', `data-${name}`);

  messages = () =>
    this.page.$$eval('article', articles =>
      articles.map(article => ({
        id: article.dataset.id,
        role: article.dataset.role,
        status: article.dataset.status,
        text: [...article.querySelectorAll('[data-text]')].map(part => part.textContent).join(''),
      })));

  tools = () =>
    this.page.$$eval('[data-tool]', parts =>
      parts.map(part => ({ tool: part.dataset.tool, state: part.dataset.state, output: part.textContent })));

  alert = () => this.page.textContent('[role=alert]');

  async lastText() {
    const last = (await this.messages()).at(-1);
    return last?.role === 'assistant' ? last.text : '';
  }

  async untilText(wanted) {
    let seen;
    await until(async () => wanted.test(seen = await this.lastText()), () => `a text like ${wanted}, but "${seen}"`);
  }

  async untilStatus(wanted) {
    let seen;
    await until(
      async () => (seen = await this.attribute('status')) === wanted,
      () => `the status ${wanted}, but ${seen}`);
  }

  /** Clicks may come before the page knows of them; whoever sends waits for what follows. */
  async untilDone(text) {
    await this.untilText(text);
    await this.untilStatus('ready');
  }
}
