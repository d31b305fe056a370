import type { Chunk, Part } from '../fold.js';

const TOOL_FIELDS = ['title', 'toolMetadata', 'providerExecuted'];

/**
 * The chunks of which a client makes a part that is there already.
 *
 * A call that has its result is told without `tool-input-available`, at which a client would run its tool once more.
 *
 * @param id the id of a text
 * @param isOpen whether more of a text follows
 */
export function partChunks(part: Part, id: string, isOpen = false): Chunk[] {
  switch (part.type) {
    case 'step-start':
      return [{ type: 'start-step' }];
    case 'text':
    case 'reasoning': {
      const own = part.type === 'reasoning' && typeof part['id'] === 'string' ? part['id'] : id;
      const start: Chunk = { type: `${part.type}-start`, id: own, ...fields(part, ['providerMetadata']) };
      const delta: Chunk = { type: `${part.type}-delta`, id: own, delta: part['text'] };
      const end: Chunk = { type: `${part.type}-end`, id: own, ...fields(part, ['citations']) };
      return isOpen ? [start, delta] : [start, delta, end];
    }
    default:
      return typeof part['toolCallId'] === 'string' ? callChunks(part) : [part];
  }
}

export function isSettled(part: Part): boolean {
  const state = part['state'];
  return state === 'output-error' || state === 'output-denied' || (state === 'output-available' && part['preliminary'] !== true);
}

function callChunks(call: Part): Chunk[] {
  const toolCallId = call['toolCallId'];
  const toolName = call.type === 'dynamic-tool' ? call['toolName'] : call.type.slice('tool-'.length);
  const asked = {
    toolCallId,
    toolName,
    ...fields(call, TOOL_FIELDS),
    ...(call['callProviderMetadata'] === undefined ? {} : { providerMetadata: call['callProviderMetadata'] }),
    ...(call.type === 'dynamic-tool' ? { dynamic: true } : {}),
  };
  const state = call['state'];
  if (state === 'input-streaming') {
    const input = call['input'];
    const start: Chunk = { type: 'tool-input-start', ...asked };
    return input === undefined ? [start] : [start, { type: 'tool-input-delta', toolCallId, inputTextDelta: JSON.stringify(input) }];
  }
  const hasApproval = typeof call['approval'] === 'object' && call['approval'] !== null;
  const isPlainError = state === 'output-error' && call['providerExecuted'] !== true && !hasApproval;
  if (state === 'output-error' && (isPlainError || call['input'] === undefined)) {
    return [{ type: 'tool-input-error', ...asked, input: call['input'] ?? call['rawInput'], errorText: call['errorText'] }];
  }
  return [...announced(call, asked), ...resultChunks(call)];
}

/** The call with its input, and what was asked and decided about it. */
function announced(call: Part, asked: { toolCallId: unknown }): Chunk[] {
  const { toolCallId } = asked;
  const input = call['input'];
  const runsNoMore = isSettled(call) && call['providerExecuted'] !== true && input !== undefined;
  const told: Chunk[] = runsNoMore
    ? [
        { type: 'tool-input-start', ...asked },
        { type: 'tool-input-delta', toolCallId, inputTextDelta: JSON.stringify(input) },
      ]
    : [{ type: 'tool-input-available', ...asked, input }];
  return [...told, ...approvalChunks(call)];
}

export function approvalChunks(call: Part): Chunk[] {
  const approval = call['approval'] as Record<string, unknown> | undefined;
  if (typeof approval?.['id'] !== 'string') {
    return [];
  }
  const approvalId = approval['id'];
  const request: Chunk = {
    type: 'tool-approval-request',
    approvalId,
    toolCallId: call['toolCallId'],
    ...(approval['requestReason'] === undefined ? {} : { reason: approval['requestReason'] }),
    ...fields(approval, ['isAutomatic', 'signature', 'descriptor']),
  };
  const { approved } = approval;
  return typeof approved === 'boolean'
    ? [request, { type: 'tool-approval-response', approvalId, approved, ...fields(approval, ['reason']) }]
    : [request];
}

/** What came of a call; nothing if it has no result yet. */
export function resultChunks(call: Part): Chunk[] {
  const result = {
    toolCallId: call['toolCallId'],
    ...fields(call, ['providerExecuted']),
    ...(call['resultProviderMetadata'] === undefined ? {} : { providerMetadata: call['resultProviderMetadata'] }),
    ...(call.type === 'dynamic-tool' ? { dynamic: true } : {}),
  };
  switch (call['state']) {
    case 'output-available':
      return [{ type: 'tool-output-available', ...result, output: call['output'], ...fields(call, ['preliminary']) }];
    case 'output-error':
      return [{ type: 'tool-output-error', ...result, errorText: call['errorText'] }];
    case 'output-denied':
      return [{ type: 'tool-output-denied', toolCallId: call['toolCallId'] }];
    default:
      return [];
  }
}

function fields(of: object, names: string[]): Record<string, unknown> {
  const found = names.map(name => [name, (of as Record<string, unknown>)[name]] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}
