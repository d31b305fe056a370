import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { AutoTransport } from '../src/auto.js';
import { systemEnvironment } from '../src/environment.js';
import type { WebSocketConstructor } from '../src/environment.js';
import type { ServerMessage } from '../src/protocol.js';
import type { Answer, LinkEvents, Loss, Transport } from '../src/transport.js';
import { WebSocketTransport } from '../src/websocket.js';
import { FakeTransport } from './support/script.js';

const closing: (() => void)[] = [];

afterEach(() => closing.splice(0).forEach(close => close()));

const WELCOME: ServerMessage = { type: 'welcome', protocol: 1, connection: 'conn-1', heartbeatMillis: 0, retryMillis: 1, rotateAfterMillis: 0 };

async function opened(onSocket: (socket: WebSocket, received: string[]) => void, key?: string) {
  const protocols: string[] = [];
  const received: string[] = [];
  const server = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    handleProtocols: offered => {
      protocols.push(...offered);
      return 'holdfast.v1';
    },
  });
  server.on('connection', socket => {
    socket.on('message', data => received.push(String(data)));
    onSocket(socket, received);
  });
  await new Promise(resolve => server.on('listening', resolve));
  const messages: ServerMessage[] = [];
  const losses: Loss[] = [];
  const transport = new WebSocketTransport(
    {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      path: '/api/v1/connect',
      device: 'tab',
      key: () => key,
      headers: () => ({}),
      credentials: undefined,
    },
    { ...systemEnvironment(), WebSocket: WebSocket as unknown as WebSocketConstructor },
  );
  const link = transport.open({ message: message => messages.push(message), lost: loss => losses.push(loss) });
  closing.push(() => {
    link.close();
    server.clients.forEach(socket => socket.terminate());
    server.close();
  });
  return { link, messages, losses, protocols, received };
}

const waited = (condition: () => void) => vi.waitFor(condition, { timeout: 120_000 });

test('frames come as messages, and the key goes as a subprotocol [M33]', async () => {
  const open = await opened(socket => {
    socket.send(JSON.stringify(WELCOME));
    socket.send('no json');
    socket.send(Buffer.from('{"type": "heartbeat"}')); // binary
    socket.send('{"type": "heartbeat"}');
  }, 'schlüssel?');
  await waited(() => expect(open.messages).toEqual([WELCOME, { type: 'heartbeat' }]));
  const encoded = Buffer.from('schlüssel?').toString('base64url');
  expect(open.protocols).toEqual(['holdfast.v1', `holdfast.bearer.${encoded}`]);
});

test('replies find their commands', async () => {
  const open = await opened(socket => {
    socket.send(JSON.stringify(WELCOME));
    socket.on('message', data => {
      const { id } = JSON.parse(String(data));
      socket.send(JSON.stringify({ type: 'reply', id: 'of nobody', status: 200 }));
      socket.send(JSON.stringify({ type: 'reply', id, status: 200, result: { id } }));
    });
  });
  await waited(() => expect(open.messages).toHaveLength(1));
  const answers = await Promise.all(
    ['c1', 'c2'].map(id => new Promise<Answer>(resolve => open.link.send({ type: 'resume', id }, resolve))),
  );
  expect(answers.map(answer => answer?.result)).toEqual([{ id: 'c1' }, { id: 'c2' }]);
});

test('a suspension is a frame, and nothing else [M37]', async () => {
  const open = await opened(socket => socket.send(JSON.stringify(WELCOME)));
  await waited(() => expect(open.messages).toHaveLength(1));
  open.link.sendLast({ type: 'suspend', id: 'c1' });
  await waited(() => expect(open.received).toEqual(['{"type":"suspend","id":"c1"}']));
});

test('a socket that closes is lost, once, and answers nothing any more', async () => {
  const open = await opened(socket => {
    socket.send(JSON.stringify(WELCOME));
    socket.on('message', () => socket.terminate());
  });
  await waited(() => expect(open.messages).toHaveLength(1));
  const answers: Answer[] = [];
  open.link.send({ type: 'resume', id: 'c1' }, answer => answers.push(answer));
  await waited(() => expect(open.losses).toHaveLength(1));
  open.link.send({ type: 'resume', id: 'c2' }, answer => answers.push(answer));
  open.link.sendLast({ type: 'suspend', id: 'c3' });
  expect(answers).toEqual([]);
});

test('the late end of a socket that was closed is not told [M36]', async () => {
  let socketClosed = false;
  const open = await opened(socket => {
    socket.send(JSON.stringify(WELCOME));
    socket.on('close', () => (socketClosed = true));
  });
  await waited(() => expect(open.messages).toHaveLength(1));
  open.link.close();
  await waited(() => expect(socketClosed).toBe(true));
  expect(open.losses).toEqual([]);
});

/** Both ways as a test drives them. */
function auto() {
  const webSocket = new FakeTransport();
  const sse = new FakeTransport();
  const transport: Transport = new AutoTransport(webSocket, sse);
  const events: LinkEvents = { message: () => undefined, lost: () => undefined };
  const open = () => {
    const count = webSocket.links.length;
    transport.open(events);
    const isWebSocket = webSocket.links.length > count;
    return { way: isWebSocket ? 'websocket' : 'sse', link: (isWebSocket ? webSocket : sse).links.at(-1)! };
  };
  return open;
}

test('auto takes WebSocket, and SSE after two upgrades in a row that failed, and stays there', () => {
  const open = auto();
  const first = open();
  first.link.welcome('c').lose();
  const ways = [first.way];
  for (let i = 0; i < 2; i++) {
    const failed = open();
    ways.push(failed.way);
    failed.link.lose();
  }
  for (let i = 0; i < 4; i++) {
    const { way, link } = open();
    ways.push(way);
    link.welcome('c').lose();
  }
  open().link.lose();
  ways.push(open().way);
  expect(ways).toEqual(['websocket', 'websocket', 'websocket', 'sse', 'sse', 'sse', 'sse', 'sse']);
});

test('auto goes back to WebSocket where SSE gets no welcome either: the server was down', () => {
  const open = auto();
  const ways: string[] = [];
  for (let i = 0; i < 6; i++) {
    const { way, link } = open();
    ways.push(way);
    link.lose();
  }
  expect(ways).toEqual(['websocket', 'websocket', 'sse', 'websocket', 'websocket', 'sse']);
});
