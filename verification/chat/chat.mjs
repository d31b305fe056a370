// What the tests need beside the published clients: a chat without React, and the server's side of it.

export const BASE = process.env.CHAT_URL;

export const clients = { 5: await import('ai5'), 6: await import('ai6'), 7: await import('ai7') };

/** Keeps messages as the client's React state does: what is shown is never changed in place. */
class State {
  status = 'ready';
  error = undefined;

  constructor(messages) {
    this.messages = messages;
  }

  pushMessage = message => {
    this.messages = [...this.messages, this.snapshot(message)];
  };

  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };

  replaceMessage = (index, message) => {
    this.messages = [...this.messages.slice(0, index), this.snapshot(message), ...this.messages.slice(index + 1)];
  };

  snapshot = value => structuredClone(value);
}

export const PATH = '/api/chat';

export function transport(major, base = BASE, path = PATH) {
  return new clients[major].DefaultChatTransport({
    api: `${base}${path}`,
    headers: { 'X-AI-SDK-Version': String(major) },
  });
}

/** A chat as a page has it: `messages` are those that it loaded. */
export function openChat(major, id, { messages = [], base = BASE, path = PATH, ...options } = {}) {
  class Chat extends clients[major].AbstractChat {}
  return new Chat({ id, state: new State(messages), transport: transport(major, base, path), ...options });
}

export async function load(id, base = BASE, path = PATH) {
  const response = await fetch(`${base}${path}/${encodeURIComponent(id)}`);
  if (!response.ok) {
    throw new Error(`${response.status} ${await response.text()}`);
  }
  return response.json();
}

export async function stopTurn(id, base = BASE, path = PATH) {
  const response = await fetch(`${base}${path}/${encodeURIComponent(id)}/stop`, { method: 'POST' });
  return response.json();
}

/** Asks the test that runs this process for something. */
export async function ask(what) {
  const response = await fetch(`${BASE}/test/${what}`, { method: 'POST' });
  if (!response.ok) {
    throw new Error(`${what}: ${response.status} ${await response.text()}`);
  }
  return response.text();
}

/** Lets the agent go on that waits. */
export const release = () => ask('release');

export const text = message =>
  (message?.parts ?? []).filter(part => part.type === 'text').map(part => part.text).join('');

export const lastText = chat => (chat.messages.at(-1)?.role === 'assistant' ? text(chat.messages.at(-1)) : '');

export const PATIENCE_MS = 120_000;

export async function until(condition, what) {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) {
      throw new Error(`not within ${PATIENCE_MS} ms: ${typeof what === 'function' ? what() : what}`);
    }
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}
