import { describe, expect, test } from 'vitest';
import { Attachments, HoldfastClient } from '../src/index.js';

interface Sent {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: unknown;
}

function clientWith(answer: (sent: Sent, signal: AbortSignal) => Response | Promise<Response>) {
  const sent: Sent[] = [];
  const client = new HoldfastClient({
    url: 'https://agents.example.org',
    path: '/below/api/v1/connect',
    key: () => 'hf_key',
    headers: { 'X-More': 'yes' },
    environment: {
      WebSocket: undefined,
      fetch: (async (input: RequestInfo | URL, init: RequestInit = {}) => {
        const request = { url: String(input), method: init.method ?? 'GET', headers: init.headers as Record<string, string>, body: init.body };
        sent.push(request);
        return answer(request, init.signal as AbortSignal);
      }) as typeof fetch,
    },
  });
  return { client, sent };
}

const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });

describe('requests beside the connection', () => {
  test('go to the server of the connection, with its key and its headers', async () => {
    const { client, sent } = clientWith(() => json({ sessions: [{ id: 'a', createdAt: '', updatedAt: '' }], next: '/below/api/v1/sessions?after=1' }));
    const page = await client.sessions.list({ limit: 7 });
    expect(page.sessions).toEqual([{ id: 'a', title: null, createdAt: '', updatedAt: '' }]);
    await client.sessions.list({ next: page.next as string });
    expect(sent.map(each => each.url)).toEqual([
      'https://agents.example.org/below/api/v1/sessions?limit=7',
      'https://agents.example.org/below/api/v1/sessions?after=1',
    ]);
    expect(sent[0]?.headers).toEqual({ 'X-More': 'yes', Authorization: 'Bearer hf_key' });
  });

  test('find sessions by their titles, and one by its id', async () => {
    const { client, sent } = clientWith(each => json(each.url.includes('title=') ? { sessions: [], next: null } : { id: 'a b', title: 'Bread', createdAt: '1', updatedAt: '2', messages: 7 }));
    await client.sessions.list({ title: 'brea & d', limit: 5 });
    expect(await client.sessions.get('a b')).toEqual({ id: 'a b', title: 'Bread', createdAt: '1', updatedAt: '2' });
    expect(sent.map(each => each.url)).toEqual([
      'https://agents.example.org/below/api/v1/sessions?limit=5&title=brea+%26+d',
      'https://agents.example.org/below/api/v1/sessions/a%20b',
    ]);
  });

  test('name what they mean, whatever characters it has', async () => {
    const { client, sent } = clientWith(() => json({ branches: [] }));
    await client.sessions.messages('s', { through: 'm&n' });
    expect(sent.shift()?.url).toBe('https://agents.example.org/below/api/v1/sessions/s/messages?through=m%26n');
    await client.sessions.branches('a b?', { leaf: 'm&n', limit: 3 });
    await client.sessions.setTitle('s', 'Über uns');
    expect(sent[0]?.url).toBe('https://agents.example.org/below/api/v1/sessions/a%20b%3F/branches?limit=3&leaf=m%26n');
    expect(sent[1]).toMatchObject({ method: 'PUT', body: '{"title":"Über uns"}' });
  });

  test('read, put and delete summaries', async () => {
    const overlay = { id: '3', from: 'a', to: 'b', summary: 'short', createdAt: '' };
    const { client, sent } = clientWith(each => (each.method === 'GET' ? json({ overlays: [overlay] }) : each.method === 'POST' ? json(overlay, 201) : new Response(null, { status: 204 })));
    expect(await client.sessions.overlays('s')).toEqual([overlay]);
    expect(await client.sessions.putOverlay('s', { from: 'a', to: 'b', summary: 'short' })).toEqual(overlay);
    await client.sessions.deleteOverlay('s', '3');
    expect(sent.map(each => `${each.method} ${each.url.slice(each.url.indexOf('/sessions'))}`)).toEqual([
      'GET /sessions/s/overlays',
      'POST /sessions/s/overlays',
      'DELETE /sessions/s/overlays/3',
    ]);
  });

  test('upload a file as it is, and what comes back goes into a message', async () => {
    const attachment = { id: 'x', url: '/api/v1/sessions/s/attachments/x', mediaType: 'image/png', bytes: 3, filename: 'a.png' };
    const { client, sent } = clientWith(() => json(attachment, 201));
    const file = new Blob(['abc'], { type: 'image/png' });
    const kept = await client.attachments.upload('s', file, { filename: 'a.png' });
    expect(sent[0]).toMatchObject({ method: 'POST', body: file });
    expect(sent[0]?.headers['Content-Type']).toBe('image/png');
    expect(Attachments.part(kept)).toEqual({ type: 'file', mediaType: 'image/png', filename: 'a.png', url: attachment.url });
  });

  test('send the key to no other server', async () => {
    const { client, sent } = clientWith(() => json({}));
    await expect(client.attachments.load('https://evil.example.org/x')).rejects.toMatchObject({ code: 'refused' });
    await expect(client.attachments.load('//evil.example.org/x')).rejects.toMatchObject({ code: 'refused' });
    expect(sent).toEqual([]);
  });

  test('say why the server refused', async () => {
    const problem = { type: 'urn:holdfast:problem:session-not-found', title: 'No', status: 404, detail: 'There is no session "s".' };
    const { client } = clientWith(() => json(problem, 404));
    await expect(client.sessions.delete('s')).rejects.toMatchObject({ code: 'refused', message: problem.detail, problem });
  });

  test('say so where what answers is no Holdfast', async () => {
    const { client } = clientWith(() => new Response('<html>', { status: 502 }));
    await expect(client.figures()).rejects.toMatchObject({ code: 'refused', problem: { status: 502, type: 'about:blank' } });
    const other = clientWith(() => new Response('<html>'));
    await expect(other.client.figures()).rejects.toMatchObject({ code: 'refused' });
  });

  test('tell what was not done from what may have been', async () => {
    const { client } = clientWith(() => Promise.reject(new TypeError('no network')));
    await expect(client.search('x')).rejects.toMatchObject({ code: 'offline', message: 'The server could not be reached.', cause: { message: 'no network' } });
    await expect(client.sessions.delete('s')).rejects.toMatchObject({ code: 'uncertain' });
  });

  test('can be taken back', async () => {
    const { client } = clientWith((_, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))));
    const abort = new AbortController();
    const searched = client.search('x', { signal: abort.signal });
    abort.abort();
    await expect(searched).rejects.toMatchObject({ code: 'discarded' });
  });
});
