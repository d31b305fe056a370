import { partialJson } from './partial-json.js';

/** A part of a message, as the AI SDK has it. Never changed in place. */
export type Part = { readonly type: string; readonly [field: string]: unknown };

/** A chunk of an AI SDK message stream. */
export type Chunk = { readonly type: string; readonly [field: string]: unknown };

/** A message in the making, or a finished one. */
export interface PreviewMessage {
  readonly id: string;
  readonly role: string;
  readonly metadata?: unknown;
  readonly parts: readonly Part[];
}

const OWN_PARTS = new Set(['source-url', 'source-document', 'file', 'reasoning-file', 'custom', 'steering-message']);

/** Whether a value can be applied at all: agents may emit what is no chunk. */
export function isChunk(value: unknown): value is Chunk {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

/**
 * Makes a message of its chunks, as the AI SDK does; a delta of a text that was never opened opens it, what else refers to nothing is passed over, and a call that has its
 * result does not change any more. Parts are replaced and never changed, so that a message that was shown stays as it was.
 */
export class Fold {
  #parts: Part[];
  #metadata: unknown;
  /** Where the parts of the step in progress begin. */
  #step = 0;
  readonly #texts: Map<string, number>;
  readonly #reasonings: Map<string, number>;
  /** Inputs as far as they came, by the index of their call. */
  readonly #inputs: Map<number, string>;
  #unread: Set<number>;

  private constructor(
    readonly messageId: string,
    parts: readonly Part[],
    metadata: unknown,
  ) {
    this.#parts = [...parts];
    this.#metadata = metadata;
    this.#texts = new Map();
    this.#reasonings = new Map();
    this.#inputs = new Map();
    this.#unread = new Set();
  }

  /** Begins a message, or goes on with one that was written before. */
  static begin(messageId: string, before?: PreviewMessage): Fold {
    const fold = new Fold(messageId, before?.parts ?? [], before?.metadata);
    fold.#step = fold.#parts.map(part => part.type).lastIndexOf('step-start') + 1;
    return fold;
  }

  /** One that goes its own way from here on. */
  copy(): Fold {
    const copy = new Fold(this.messageId, this.#parts, this.#metadata);
    copy.#step = this.#step;
    this.#texts.forEach((index, id) => copy.#texts.set(id, index));
    this.#reasonings.forEach((index, id) => copy.#reasonings.set(id, index));
    this.#inputs.forEach((text, index) => copy.#inputs.set(index, text));
    copy.#unread = new Set(this.#unread);
    return copy;
  }

  /** The message as it stands. */
  message(): PreviewMessage {
    for (const index of this.#unread) {
      this.#change(index, part => {
        const text = this.#inputs.get(index) ?? '';
        return { ...part, input: part['inputEncoding'] === 'text' ? text : partialJson(text) };
      });
    }
    this.#unread = new Set();
    const metadata = this.#metadata === undefined ? {} : { metadata: this.#metadata };
    return { id: this.messageId, role: 'assistant', ...metadata, parts: [...this.#parts] };
  }

  /** Ids of texts and reasonings that are open, by the index of their part. */
  openParts(): Map<number, string> {
    const open = new Map<number, string>();
    this.#texts.forEach((index, id) => open.set(index, id));
    this.#reasonings.forEach((index, id) => open.set(index, id));
    return open;
  }

  apply(chunk: Chunk): void {
    switch (chunk.type) {
      case 'text-start':
        this.#openText(this.#texts, { type: 'text' }, chunk);
        break;
      case 'text-delta':
        this.#append(this.#texts, { type: 'text' }, chunk);
        break;
      case 'text-end':
        this.#end(this.#texts, chunk);
        break;
      case 'reasoning-start':
        this.#openText(this.#reasonings, { type: 'reasoning', id: chunk['id'] }, chunk);
        break;
      case 'reasoning-delta':
        this.#append(this.#reasonings, { type: 'reasoning', id: chunk['id'] }, chunk);
        break;
      case 'reasoning-end':
        this.#end(this.#reasonings, chunk);
        break;
      case 'start-step':
        this.#parts.push({ type: 'step-start' });
        this.#step = this.#parts.length;
        break;
      case 'reset-step':
        this.#reset();
        break;
      case 'start':
      case 'finish':
      case 'message-metadata':
        this.#metadata = merged(this.#metadata, chunk['messageMetadata']);
        break;
      default:
        if (OWN_PARTS.has(chunk.type)) {
          this.#parts.push(chunk);
        } else if (chunk.type.startsWith('data-')) {
          this.#data(chunk);
        } else if (chunk.type.startsWith('tool-')) {
          this.#tool(chunk);
        }
    }
  }

  #change(index: number, change: (part: Part) => Part): void {
    const part = this.#parts[index];
    if (part !== undefined) {
      this.#parts[index] = change(part);
    }
  }

  #openText(open: Map<string, number>, part: Part, chunk: Chunk): void {
    open.set(String(chunk['id']), this.#parts.length);
    this.#parts.push({ ...part, text: '', ...only(chunk, 'providerMetadata'), state: 'streaming' });
  }

  #append(open: Map<string, number>, part: Part, chunk: Chunk): void {
    const id = String(chunk['id']);
    if (!open.has(id)) {
      this.#openText(open, part, { type: chunk.type, id });
    }
    const delta = typeof chunk['delta'] === 'string' ? chunk['delta'] : '';
    this.#change(open.get(id) ?? -1, text => ({ ...text, text: String(text['text']) + delta, ...only(chunk, 'providerMetadata') }));
  }

  #end(open: Map<string, number>, chunk: Chunk): void {
    const id = String(chunk['id']);
    this.#change(open.get(id) ?? -1, part => ({ ...part, state: 'done', ...only(chunk, 'citations', 'providerMetadata') }));
    open.delete(id);
  }

  #reset(): void {
    this.#parts.length = this.#step;
    this.#texts.clear();
    this.#reasonings.clear();
    for (const index of [...this.#inputs.keys()]) {
      if (index >= this.#step) {
        this.#inputs.delete(index);
        this.#unread.delete(index);
      }
    }
  }

  #data(chunk: Chunk): void {
    if (chunk['transient'] === true) {
      return;
    }
    const id = chunk['id'];
    const index = id === undefined ? -1 : this.#parts.findIndex(part => part.type === chunk.type && part['id'] === id);
    if (index < 0) {
      this.#parts.push(chunk);
    } else {
      this.#change(index, part => ({ ...part, data: chunk['data'] }));
    }
  }

  #tool(chunk: Chunk): void {
    switch (chunk.type) {
      case 'tool-input-start': {
        const index = this.#announced(chunk);
        this.#inputs.set(index, '');
        this.#update(index, chunk, { state: 'input-streaming', ...only(chunk, 'inputEncoding') });
        break;
      }
      case 'tool-input-delta': {
        const index = this.#called(chunk);
        if (this.#parts[index]?.['state'] === 'input-streaming') {
          this.#inputs.set(index, (this.#inputs.get(index) ?? '') + String(chunk['inputTextDelta']));
          this.#unread.add(index);
        }
        break;
      }
      case 'tool-input-available':
        this.#update(this.#announced(chunk), chunk, { state: 'input-available', input: chunk['input'] });
        break;
      case 'tool-input-error':
        this.#update(this.#announced(chunk), chunk, {
          state: 'output-error',
          input: chunk['input'],
          errorText: chunk['errorText'],
        });
        break;
      case 'tool-output-available':
        this.#result(chunk, { state: 'output-available', output: chunk['output'], ...only(chunk, 'preliminary') });
        break;
      case 'tool-output-error':
        this.#result(chunk, { state: 'output-error', errorText: chunk['errorText'] });
        break;
      case 'tool-output-denied':
        this.#change(this.#called(chunk), part => (isSettled(part) ? part : { ...part, state: 'output-denied' }));
        break;
      case 'tool-approval-request':
        this.#approval(this.#called(chunk), 'approval-requested', {
          id: chunk['approvalId'],
          ...renamed(chunk, { reason: 'requestReason', isAutomatic: 'isAutomatic', signature: 'signature', descriptor: 'descriptor' }),
        });
        break;
      case 'tool-approval-response': {
        const index = this.#parts.findLastIndex(
          part => (part['approval'] as { id?: unknown } | undefined)?.id === chunk['approvalId'],
        );
        const before = this.#parts[index]?.['approval'] as object | undefined;
        this.#approval(index, 'approval-responded', { ...before, ...only(chunk, 'approved', 'reason') });
        break;
      }
    }
  }

  #approval(index: number, state: string, approval: object): void {
    this.#change(index, part => (isSettled(part) ? part : { ...part, state, approval }));
  }

  /** The call of the step in progress, added if it is new there. */
  #announced(chunk: Chunk): number {
    const index = this.#parts.findIndex((part, i) => i >= this.#step && part['toolCallId'] === chunk['toolCallId']);
    if (index >= 0) {
      return index;
    }
    const dynamic = chunk['dynamic'] === true;
    this.#parts.push({
      type: dynamic ? 'dynamic-tool' : `tool-${String(chunk['toolName'])}`,
      toolCallId: chunk['toolCallId'],
      ...(dynamic ? { toolName: chunk['toolName'] } : {}),
    });
    return this.#parts.length - 1;
  }

  /** The newest call of this id, or -1. */
  #called(chunk: Chunk): number {
    return this.#parts.findLastIndex(part => part['toolCallId'] === chunk['toolCallId']);
  }

  #result(chunk: Chunk, fields: object): void {
    const index = this.#called(chunk);
    const part = this.#parts[index];
    if (part !== undefined) {
      const input = this.#unread.has(index) ? partialJson(this.#inputs.get(index) ?? '') : part['input'];
      this.#update(index, chunk, { ...('approval' in part ? { approval: part['approval'] } : {}), input, ...fields }, 'resultProviderMetadata');
    }
  }

  /** What an update leaves out is gone, but for what a call is. */
  #update(index: number, chunk: Chunk, fields: object, providerMetadata = 'callProviderMetadata'): void {
    if (isSettled(this.#parts[index])) {
      return;
    }
    this.#change(index, part => {
      const call = only(
        part,
        'type',
        'toolCallId',
        'toolName',
        'title',
        'toolMetadata',
        'providerExecuted',
        'callProviderMetadata',
        'approval',
      );
      const told = { ...only(chunk, 'title', 'toolMetadata', 'providerExecuted'), ...renamed(chunk, { providerMetadata }) };
      return { ...call, ...told, ...fields } as Part;
    });
    this.#unread.delete(index);
  }
}

function isSettled(part: Part | undefined): boolean {
  const state = part?.['state'];
  return (
    state === 'output-error' || state === 'output-denied' || (state === 'output-available' && part?.['preliminary'] !== true)
  );
}

function only(of: object, ...fields: string[]): Record<string, unknown> {
  return renamed(of, Object.fromEntries(fields.map(field => [field, field])));
}

function renamed(of: object, names: Record<string, string>): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [from, to] of Object.entries(names)) {
    const value = (of as Record<string, unknown>)[from];
    if (value !== undefined) {
      found[to] = value;
    }
  }
  return found;
}

const REFUSED = new Set(['__proto__', 'constructor', 'prototype']);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Objects are merged deeply, all else is replaced. */
function merged(base: unknown, update: unknown): unknown {
  if (update === undefined || update === null) {
    return base;
  }
  if (!isObject(base) || !isObject(update)) {
    return update;
  }
  const result: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(update)) {
    if (!REFUSED.has(name)) {
      result[name] = isObject(value) && isObject(result[name]) ? merged(result[name], value) : value;
    }
  }
  return result;
}
