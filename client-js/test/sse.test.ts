import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { systemEnvironment } from '../src/environment.js';
import type { Environment } from '../src/environment.js';
import type { ServerMessage } from '../src/protocol.js';
import { SseTransport } from '../src/sse.js';
import type { Answer, Loss } from '../src/transport.js';

const closing: (() => void)[] = [];

afterEach(() => closing.splice(0).forEach(close => close()));

type Handler = (request: http.IncomingMessage & { text: string }, response: http.ServerResponse) => void;

/** A server of this test's own, and a link to it. */
async function opened(handler: Handler, key?: string, more: Partial<Environment> = {}) {
  const requests: string[] = [];
  const server = http.createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) {
      text += piece;
    }
    requests.push(`${request.method} ${request.url}`);
    handler(Object.assign(request, { text }), response);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const messages: ServerMessage[] = [];
  const losses: Loss[] = [];
  const address = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    path: '/api/v1/connect',
    device: 'tab',
    key: () => key,
    headers: () => ({}),
    credentials: undefined,
  };
  const transport = new SseTransport(address, { ...systemEnvironment(), ...more });
  const link = transport.open({ message: message => messages.push(message), lost: loss => losses.push(loss) });
  closing.push(() => {
    link.close();
    server.closeAllConnections();
    server.close();
  });
  return { link, messages, losses, requests, url: address.url };
}

const WELCOME = { type: 'welcome', protocol: 1, connection: 'conn/1', heartbeatMillis: 0, retryMillis: 1, rotateAfterMillis: 0 };

function stream(response: http.ServerResponse, ...frames: object[]) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
  frames.forEach(frame => response.write(`data: ${JSON.stringify(frame)}\n\n`));
}

const waited = (condition: () => void) => vi.waitFor(condition, { timeout: 120_000 });

/** Answers the stream with a welcome and every command as told. */
const answering =
  (answer: (command: { id: string }, response: http.ServerResponse) => void): Handler =>
  (request, response) =>
    request.method === 'GET' ? stream(response, WELCOME) : answer(JSON.parse(request.text), response);

async function asked(answer: (command: { id: string }, response: http.ServerResponse) => void): Promise<Answer> {
  const { link, messages } = await opened(answering(answer));
  await waited(() => expect(messages).toHaveLength(1));
  return new Promise(resolve => link.send({ type: 'bye', id: 'c1' }, resolve));
}

test('frames come as messages, with the key in a header and the device in the address, which never names a session [M26]', async () => {
  let authorization: string | undefined;
  const { messages, requests } = await opened((request, response) => {
    authorization = request.headers.authorization;
    stream(response, WELCOME, { type: 'heartbeat' }, { type: 'probe', nonce: 'ä€' });
    response.write(': a comment\n\ndata: no json\n\ndata: 7\n\n');
  }, 'secret');
  await waited(() => expect(messages).toHaveLength(3));
  expect(messages[2]).toEqual({ type: 'probe', nonce: 'ä€' });
  expect(authorization).toBe('Bearer secret');
  expect(requests).toEqual(['GET /api/v1/connect?device=tab']);
});

test('a command is a POST to the connection, and its reply the answer', async () => {
  let url: string | undefined;
  const { link, messages } = await opened((request, response) => {
    if (request.method === 'GET') {
      stream(response, WELCOME);
    } else {
      url = `${request.url} ${request.headers['content-type']}`;
      response.end(JSON.stringify({ type: 'reply', id: JSON.parse(request.text).id, status: 200, result: { mode: 'ask' } }));
    }
  });
  await waited(() => expect(messages).toHaveLength(1));
  const answer = await new Promise(resolve => link.send({ type: 'mode', id: 'c1', session: 's', mode: 'ask' }, resolve));
  expect(answer).toMatchObject({ status: 200, result: { mode: 'ask' } });
  expect(url).toBe('/api/v1/connect/conn%2F1 application/json');
});

test('a problem is an answer', async () => {
  const problem = { type: 'urn:holdfast:problem:turn-conflict', title: 'x', status: 409, detail: 'y' };
  expect(await asked((_, response) => response.writeHead(409).end(JSON.stringify(problem)))).toMatchObject({ status: 409, problem });
});

test('an error without a problem is one of its status', async () => {
  const answer = await asked((_, response) => response.writeHead(502).end('<html>'));
  expect(answer).toMatchObject({ status: 502, problem: { status: 502 } });
});

test.each(['not json', '{"type": "reply", "id": "another", "status": 200}'])('a success that answers something else is not known: %s', async body => {
  expect(await asked((_, response) => response.writeHead(200).end(body))).toBeNull();
});

test('a command whose connection breaks is not known', async () => {
  expect(await asked((_, response) => response.destroy())).toBeNull();
});

test('a command before the welcome fails [M30]', async () => {
  const { link } = await opened((_, response) => stream(response));
  expect(() => link.send({ type: 'bye', id: 'c1' }, () => undefined)).toThrow(/before the welcome/);
});

test.each([401, 403, 404, 503])('an opening that is answered %i is refused', async status => {
  const { losses } = await opened((_, response) =>
    response.writeHead(status, { 'Retry-After': '7' }).end(JSON.stringify({ type: 'x', title: 'x', status, detail: 'Not now' })),
  );
  await waited(() => expect(losses).toHaveLength(1));
  expect(losses[0]).toMatchObject({ kind: 'refused', status, retryAfterMillis: 7000, problem: { detail: 'Not now' } });
});

test('what is no event stream is no connection', async () => {
  const { losses, messages } = await opened((_, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('Sign in'));
  await waited(() => expect(losses).toHaveLength(1));
  expect(losses[0]).toMatchObject({ kind: 'lost', detail: expect.stringContaining('text/html') });
  expect(messages).toEqual([]);
});

test.each(['end', 'destroy'] as const)('a stream that the server lets %s is lost, once', async how => {
  const { losses, messages } = await opened((_, response) => {
    stream(response, WELCOME);
    setImmediate(() => response[how]());
  });
  await waited(() => expect(losses).toHaveLength(1));
  expect(losses[0]?.kind).toBe('lost');
  expect(messages.length).toBeLessThanOrEqual(1);
});

test('after it was closed, a link tells nothing', async () => {
  let gone = false;
  const { link, losses, messages } = await opened((_, response) => {
    stream(response, WELCOME);
    response.on('close', () => (gone = true));
  });
  await waited(() => expect(messages).toHaveLength(1));
  const answers: Answer[] = [];
  link.send({ type: 'bye', id: 'c1' }, answer => answers.push(answer));
  link.close();
  await waited(() => expect(gone).toBe(true));
  expect(losses).toEqual([]);
  expect(answers).toEqual([]);
});

test('the last word of a page is a request that outlives it, with its key, and is told to have arrived [M28] [M37]', async () => {
  const requests: string[] = [];
  const open = await opened((request, response) => {
    if (request.method === 'GET') {
      stream(response, WELCOME);
    } else {
      requests.push(`${request.headers.authorization} ${request.text}`);
      response.end('{}');
    }
  }, 'secret');
  await waited(() => expect(open.messages).toHaveLength(1));
  await new Promise<void>(resolve => open.link.sendLast({ type: 'suspend', id: 'c1' }, resolve));
  expect(requests).toEqual(['Bearer secret {"type":"suspend","id":"c1"}']);
});
