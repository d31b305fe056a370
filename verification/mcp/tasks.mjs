// Requests of 2026-07-28 as they are on the wire, and the published client of the Tasks extension on top of them.

import { createTaskSessionFromClient } from '@modelcontextprotocol/ext-tasks/client';
import { modern } from './clients.mjs';

const VERSION = '2026-07-28';
const EXTENSION = 'io.modelcontextprotocol/tasks';
const INFO = { name: 'holdfast-verification', version: '1.0.0' };
const CAPABILITIES = { elicitation: {}, extensions: { [EXTENSION]: {} } };

const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': INFO,
  'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
};

const TIMEOUT_MS = 60_000;

let ids = 0;

/** Posts one request; the last message of its answer, be it JSON or events. */
async function post(url, { method, params }, { headers, signal } = {}) {
  const response = await fetch(url, {
    method: 'POST',
    signal,
    headers: {
      ...headers,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': VERSION,
      'Mcp-Method': method,
      ...('taskId' in params || 'name' in params ? { 'Mcp-Name': params.taskId ?? params.name } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: ++ids, method, params }),
  });
  const text = await response.text();
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    return JSON.parse(text);
  }
  const messages = text.split('\n').filter(line => line.startsWith('data: ') && line.length > 6);
  return JSON.parse(messages.at(-1).slice(6));
}

/** The same again and again while the network fails. For what may be asked twice, as all about a task may. */
async function insist(url, asked, options) {
  const end = Date.now() + TIMEOUT_MS;
  while (true) {
    try {
      return await post(url, asked, options);
    } catch (e) {
      if (options?.signal?.aborted || Date.now() > end) {
        throw e;
      }
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  }
}

/** The result of a request, or its error as an exception with a code. */
export async function request(url, method, params) {
  const { result, error } = await post(url, { method, params: { ...params, _meta: META } });
  if (error) {
    throw Object.assign(new Error(error.message), error);
  }
  return result;
}

export const call = (url, name, args = {}, more = {}) => request(url, 'tools/call', { name, arguments: args, ...more });
export const get = (url, taskId) => request(url, 'tasks/get', { taskId });
export const update = (url, taskId, inputResponses) => request(url, 'tasks/update', { taskId, inputResponses });
export const cancel = (url, taskId) => request(url, 'tasks/cancel', { taskId });

/** Looks until a task is in one of these states. */
export async function until(url, taskId, ...states) {
  const end = Date.now() + TIMEOUT_MS;
  while (true) {
    const task = await get(url, taskId);
    if (states.includes(task.status)) {
      return task;
    }
    if (Date.now() > end) {
      throw new Error(`still ${task.status}, and not ${states}`);
    }
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

/**
 * A session of the client for tasks.
 *
 * @param answer to each question of a form
 */
export async function taskSession(url, answer = () => ({ action: 'decline' })) {
  const connected = await modern(url, CAPABILITIES);
  const session = createTaskSessionFromClient(connected.client, {
    endpointId: 'fixture',
    v2RequestFraming: { protocolVersion: VERSION, clientInfo: INFO, clientCapabilities: CAPABILITIES },
    rawDispatch: async (asked, options) => {
      const send = asked.method.startsWith('tasks/') ? insist : post;
      const { result, error } = await send(url, asked, { headers: options?.context?.headers, signal: options?.signal });
      return error ? { kind: 'error', error } : { kind: 'result', result };
    },
    onInputRequest: async ({ params }) => answer(params),
  });
  return {
    session,
    /** Calls a tool to the end of its task, if it makes one. */
    async call(name, args = {}) {
      const execution = await session.callTool(name, args);
      const { outcome } = await execution.settle();
      return { kind: execution.kind, ...outcome };
    },
    async close() {
      await session.close();
      await connected.close();
    },
  };
}
