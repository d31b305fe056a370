import type { Chunk, PreviewMessage } from '../fold.js';

/** The majors of the AI SDK that are known. */
export type Major = 5 | 6 | 7;

/** Types by the first major whose client accepts them; those that are not here are sent to none. */
const ACCEPTED: Record<Major, string[]> = {
  5: [
    'start',
    'finish',
    'abort',
    'error',
    'message-metadata',
    'start-step',
    'finish-step',
    'text-start',
    'text-delta',
    'text-end',
    'reasoning-start',
    'reasoning-delta',
    'reasoning-end',
    'tool-input-start',
    'tool-input-delta',
    'tool-input-available',
    'tool-input-error',
    'tool-output-available',
    'tool-output-error',
    'source-url',
    'source-document',
    'file',
  ],
  6: ['tool-approval-request', 'tool-output-denied'],
  7: ['tool-approval-response', 'reset-step', 'custom', 'reasoning-file', 'steering-message'],
};

const FIRST_MAJOR = new Map(
  Object.entries(ACCEPTED).flatMap(([major, types]) => types.map(type => [type, Number(major)] as const)),
);

const DENIED = 'The user did not allow this call.';

/**
 * Lets through what a client of one major accepts, as docs/ui-messages.md says: a single chunk that it does not know ends its stream with an error. What another
 * chunk can say in its place is said so, what none can is left out. `reset-step` before 7 is the caller's to handle.
 */
export class ChunkGate {
  readonly #texts = new Set<string>();
  readonly #reasonings = new Set<string>();
  readonly #inputs = new Set<string>();
  /** Whether each call is dynamic: those of earlier steps, and those of the step in progress. */
  readonly #calls = new Map<string, boolean>();
  readonly #stepCalls = new Map<string, boolean>();
  /** The call that each approval is of. */
  readonly #approvals = new Map<string, string>();

  /** @param before the message that the stream goes on with, as the client has it */
  constructor(
    private readonly major: Major,
    before?: PreviewMessage,
  ) {
    for (const part of before?.parts ?? []) {
      const call = part['toolCallId'];
      if (typeof call === 'string') {
        this.#calls.set(call, part.type === 'dynamic-tool');
        const approval = (part['approval'] as { id?: unknown } | undefined)?.id;
        if (typeof approval === 'string') {
          this.#approvals.set(approval, call);
        }
      }
    }
  }

  /** What is sent in the chunk's place: itself, others, or nothing. */
  admit(chunk: Chunk): Chunk[] {
    const known = this.#translated(chunk);
    const first = known.type.startsWith('data-') ? 5 : FIRST_MAJOR.get(known.type);
    return first === undefined || first > this.major ? [] : this.#said(known);
  }

  #translated(chunk: Chunk): Chunk {
    const reason = chunk['finishReason'];
    const isStrange = (reason === 'interrupted' && this.major < 7) || (reason === 'unknown' && this.major > 5);
    if (chunk.type === 'finish' && isStrange) {
      return { ...chunk, finishReason: 'other' };
    }
    if (chunk.type === 'tool-output-denied' && this.major < 6) {
      return { type: 'tool-output-error', toolCallId: chunk['toolCallId'], errorText: DENIED };
    }
    return chunk;
  }

  #said(chunk: Chunk): Chunk[] {
    const id = String(chunk['id']);
    switch (chunk.type) {
      case 'text-start':
        this.#texts.add(id);
        return [chunk];
      case 'reasoning-start':
        this.#reasonings.add(id);
        return [chunk];
      case 'text-delta':
        return opened(this.#texts, id, 'text-start', chunk);
      case 'reasoning-delta':
        return opened(this.#reasonings, id, 'reasoning-start', chunk);
      case 'text-end':
        return this.#texts.delete(id) ? [chunk] : [];
      case 'reasoning-end':
        return this.#reasonings.delete(id) ? [chunk] : [];
      case 'start-step':
        this.#stepCalls.forEach((dynamic, call) => this.#calls.set(call, dynamic));
        this.#stepCalls.clear();
        return [chunk];
      case 'finish-step':
        if (this.major < 7) {
          this.#texts.clear();
          this.#reasonings.clear();
        }
        return [chunk];
      case 'reset-step':
        this.#reset();
        return [chunk];
      default:
        return chunk.type.startsWith('tool-') ? this.#saidOfTool(chunk) : [chunk];
    }
  }

  #reset(): void {
    [this.#texts, this.#reasonings, this.#inputs].forEach(set => set.clear());
    this.#approvals.forEach((call, approval) => this.#stepCalls.has(call) && this.#approvals.delete(approval));
    this.#stepCalls.clear();
  }

  #saidOfTool(chunk: Chunk): Chunk[] {
    const call = String(chunk['toolCallId']);
    switch (chunk.type) {
      case 'tool-input-start':
        this.#inputs.add(call);
        this.#stepCalls.set(call, chunk['dynamic'] === true);
        return [chunk];
      case 'tool-input-available':
      case 'tool-input-error':
        this.#stepCalls.set(call, chunk['dynamic'] === true);
        return [chunk];
      case 'tool-input-delta':
        return this.#inputs.has(call) ? [chunk] : [];
      case 'tool-output-available':
      case 'tool-output-error':
        return this.#isKnown(call) ? [this.#matching(chunk, call)] : [];
      case 'tool-approval-request': {
        if (!this.#isKnown(call)) {
          return [];
        }
        const approval = String(chunk['approvalId']);
        this.#approvals.set(approval, this.#approvals.get(approval) ?? call);
        return [chunk];
      }
      case 'tool-approval-response':
        return this.#approvals.has(String(chunk['approvalId'])) ? [chunk] : [];
      default:
        return this.#isKnown(call) ? [chunk] : [];
    }
  }

  #isKnown(call: string): boolean {
    return this.#stepCalls.has(call) || this.#calls.has(call);
  }

  /** Clients of 5 look for the call among the dynamic or the other ones, as its result says. */
  #matching(chunk: Chunk, call: string): Chunk {
    const dynamic = this.#stepCalls.get(call) ?? this.#calls.get(call) ?? false;
    if (this.major > 5 || (chunk['dynamic'] === true) === dynamic) {
      return chunk;
    }
    const { dynamic: _said, ...rest } = chunk;
    return (dynamic ? { ...rest, dynamic } : rest) as Chunk;
  }
}

function opened(open: Set<string>, id: string, start: string, chunk: Chunk): Chunk[] {
  if (open.has(id)) {
    return [chunk];
  }
  open.add(id);
  return [{ type: start, id }, chunk];
}
