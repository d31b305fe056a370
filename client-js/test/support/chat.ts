import * as ai5 from 'ai5';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { HoldfastChatTransport } from '../../src/ai/index.js';
import type { ChatTransportOptions, Major } from '../../src/ai/index.js';
import type { HoldfastClient } from '../../src/client.js';

/** The published clients. Their types differ, and what is used of them does not. */
export const clients = { 5: ai5, 6: ai6, 7: ai7 } as unknown as Record<Major, Published>;

interface Published {
  AbstractChat: new (options: object) => Chat;
  lastAssistantMessageIsCompleteWithToolCalls: unknown;
  lastAssistantMessageIsCompleteWithApprovalResponses: unknown;
}

export interface PagePart {
  type: string;
  text?: string;
  state?: string;
  output?: unknown;
  approval?: { id: string };
}

export interface PageMessage {
  id: string;
  role: string;
  parts: PagePart[];
  metadata?: { holdfast?: { status?: string } };
}

/** A chat as `useChat` has it. */
export interface Chat {
  readonly id: string;
  messages: PageMessage[];
  readonly status: string;
  readonly error: Error | undefined;
  sendMessage(message: { text: string; messageId?: string }): Promise<void>;
  regenerate(options?: { messageId?: string }): Promise<void>;
  resumeStream(): Promise<void>;
  stop(): Promise<void>;
  addToolOutput(output: { tool: string; toolCallId: string; output: unknown }): Promise<void>;
  addToolApprovalResponse(response: { id: string; approved: boolean }): Promise<void>;
}

/** Keeps messages as the client's React state does: what is shown is never changed in place. */
class State {
  status = 'ready';
  error: unknown = undefined;

  constructor(public messages: PageMessage[]) {}

  pushMessage = (message: PageMessage): void => {
    this.messages = [...this.messages, this.snapshot(message)];
  };

  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1);
  };

  replaceMessage = (index: number, message: PageMessage): void => {
    this.messages = [...this.messages.slice(0, index), this.snapshot(message), ...this.messages.slice(index + 1)];
  };

  snapshot = <T>(value: T): T => structuredClone(value);
}

interface ChatOptions {
  messages?: PageMessage[];
  transport?: Partial<ChatTransportOptions>;
  [option: string]: unknown;
}

/** A chat of one major over a client; `messages` are those that the page has loaded. */
export function openChat(major: Major, client: HoldfastClient, id: string, options: ChatOptions = {}): Chat {
  const { messages = [], transport, ...rest } = options;
  class Page extends clients[major].AbstractChat {}
  return new Page({
    id,
    state: new State(messages),
    transport: new HoldfastChatTransport({ client, major, ...transport }),
    ...rest,
  });
}

export const text = (message: PageMessage | undefined): string =>
  (message?.parts ?? []).map(part => (part.type === 'text' ? part.text : '')).join('');

export const lastText = (chat: Chat): string => (chat.messages.at(-1)?.role === 'assistant' ? text(chat.messages.at(-1)) : '');
