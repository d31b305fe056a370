// The servers behind the pages, and what the store has.

import http from 'node:http';
import { readFile } from 'node:fs/promises';

const STAGE = process.env.STAGE_URL;

export const PATIENCE_MS = 120_000;

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Session</title>
<link rel="icon" href="data:,">
<main><section id="conversation"></section><section id="calls"></section></main>
<form><input><button id="send">Send</button></form>
<script type="module" src="/page.js"></script>
`;

const FILES = {
  '/': () => ['text/html; charset=utf-8', PAGE],
  '/page.js': async () => ['text/javascript; charset=utf-8', await readFile('page.js')],
  '/elsewhere': () => ['text/html; charset=utf-8', '<!doctype html><title>Elsewhere</title><p>Another page'],
};

const pages = http.createServer(async (request, response) => {
  const file = FILES[new URL(request.url, 'http://any').pathname];
  if (!file) {
    response.writeHead(404).end();
    return;
  }
  const [type, body] = await file();
  response.writeHead(200, { 'Content-Type': type }).end(body);
});
await new Promise(resolve => pages.listen(0, '127.0.0.1', resolve));
pages.unref();

/** Where the pages come from; they are of another origin than their server. */
export const ORIGIN = `http://127.0.0.1:${pages.address().port}`;

/** Asks the test that runs this process for something. */
async function ask(what, parameters = {}) {
  const response = await fetch(`${STAGE}/test/${what}?${new URLSearchParams(parameters)}`, { method: 'POST' });
  if (!response.ok) {
    throw new Error(`${what}: ${response.status} ${await response.text()}`);
  }
  return response.text();
}

/** Starts a server with options of its own, or one that was killed again. Returns its address. */
export const start = (name, ...options) =>
  ask(`servers/${name}/start`, { options: ['--allow-origin', ORIGIN, ...options].join(' ') });

/** SIGKILL. */
export const kill = name => ask(`servers/${name}/kill`);

/** Starts the server whose agent asks for approvals. */
export const startPayments = () => ask('payments', { origin: ORIGIN });

/** Lets the model produce so many events more. */
export const produce = events => ask('model/produce', { events });

/** How many events the model needs for an answer, and how many bring half of its text. */
export const WHOLE = 11;
export const HALF = 4;
export const HALF_TEXT = /^Answer \d+ to: $/;
export const WHOLE_TEXT = /^Answer \d+ to: .*\. That is all\.$/;

export const newId = () => `s-${crypto.randomUUID()}`;

async function api(server, path) {
  const response = await fetch(`${server}/api/v1/sessions/${path}`);
  if (!response.ok) {
    throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }
  return response.json();
}

const textOf = content => content.parts.filter(part => part.type === 'text').map(part => part.text).join('');

/** The conversation as the store has it, root first. */
export async function stored(server, session) {
  const { messages } = await api(server, `${session}/messages?order=root&limit=500`);
  return messages.map(({ id, role, content }) => ({ id, role, text: typeof content === 'string' ? content : textOf(content) }));
}

export async function until(condition, what) {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) {
      throw new Error(`not within ${PATIENCE_MS} ms: ${typeof what === 'function' ? await what() : what}`);
    }
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}
