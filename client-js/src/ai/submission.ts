import type { PreviewMessage } from '../fold.js';
import type { ToolAnswer, Turn } from '../protocol.js';
import { content } from '../session-state.js';
import type { SessionView } from '../session-view.js';
import { equal } from './equal.js';

/** A message as the page has it. */
export interface PageMessage {
  readonly id: string;
  readonly role: string;
  readonly metadata?: unknown;
  readonly parts: readonly object[];
}

/** The turn for a message of the user. An edited one is a message of its own beside the one it replaces, under an id made of that one's and of its content. */
export function turnFor(session: SessionView, message: PageMessage, messageId: string | undefined): Turn & { id: string } {
  const stored = session.message(message.id);
  const isEdited = messageId === message.id && stored !== undefined && !equal(content(stored).parts, message.parts);
  if (!isEdited) {
    return { id: message.id, message: { id: message.id, role: message.role, content: whole(message, message.id) } };
  }
  const id = editedId(message);
  return { id, message: { id, role: message.role, content: whole(message, id), besideId: message.id } };
}

function whole(message: PageMessage, id: string): { id: string; role: string; parts: unknown[] } {
  return { ...message, id, parts: [...message.parts] };
}

function editedId(message: PageMessage): string {
  return `${message.id}~${digest(JSON.stringify(message.parts))}`;
}

/** Twelve digits that depend on the text. */
function digest(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 2654435761);
    b = Math.imul(b ^ text.charCodeAt(i), 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (hex(b) + hex(a)).slice(0, 12);
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}

/** The message to write, or to answer, once more. */
export function regenerated(session: SessionView, messages: readonly PageMessage[], messageId: string | undefined): string {
  if (messageId !== undefined) {
    const stored = session.message(messageId);
    const isComing = session.state.turns.some(turn => turn.messageId === messageId);
    if (isComing || (stored !== undefined && stored.role !== 'user')) {
      return messageId;
    }
  }
  const last = messages.at(-1)?.id ?? messageId ?? session.state.messages.at(-1)?.id;
  if (last === undefined) {
    throw new Error('There is nothing to regenerate in this chat.');
  }
  const shown = session.state.messages.map(message => message.id);
  return shown.findLast(id => id === last || id.startsWith(`${last}~`)) ?? last;
}

/** What a message that the page sends back says of its calls, and the stored message does not. */
export function answersIn(sent: PageMessage, stored: PreviewMessage | undefined): ToolAnswer[] {
  return sent.parts.flatMap(part => {
    const call = part as Record<string, unknown>;
    const toolCallId = call['toolCallId'];
    if (typeof toolCallId !== 'string') {
      return [];
    }
    const known = stored?.parts.findLast(each => each['toolCallId'] === toolCallId);
    return answerIn(call, toolCallId, known);
  });
}

function answerIn(call: Record<string, unknown>, toolCallId: string, known: Record<string, unknown> | undefined): ToolAnswer[] {
  if (call['state'] === 'approval-responded') {
    const approval = call['approval'] as { approved?: unknown; reason?: unknown } | undefined;
    const decided = (known?.['approval'] as { approved?: unknown } | undefined)?.approved;
    return typeof approval?.approved === 'boolean' && approval.approved !== decided
      ? [{ toolCallId, approved: approval.approved, ...(typeof approval.reason === 'string' ? { reason: approval.reason } : {}) }]
      : [];
  }
  if (call['providerExecuted'] === true) {
    return [];
  }
  if (call['state'] === 'output-available') {
    const output = call['output'] ?? null;
    return known?.['state'] === 'output-available' && equal(known['output'], output) ? [] : [{ toolCallId, output }];
  }
  if (call['state'] === 'output-error') {
    const error = typeof call['errorText'] === 'string' && call['errorText'].trim() !== '' ? call['errorText'] : 'The tool failed.';
    return known?.['state'] === 'output-error' && known['errorText'] === error ? [] : [{ toolCallId, error }];
  }
  return [];
}
