// Chunk sequences as a server stores them, and what the gate lets through for clients of each major: `gated` where it is not all of them.
// A last chunk of type "(cut)" stands for the place where the connection is broken.

const on = (...chunks) => [{ type: 'start', messageId: 'm1' }, { type: 'start-step' }, ...chunks];
const call = { type: 'tool-input-available', toolCallId: 'c', toolName: 'pay', input: { sum: 1 } };
const dynamicCall = { ...call, dynamic: true };
const text = [{ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'x' }, { type: 'text-end', id: 't' }];
const approval = { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' };
const response = { type: 'tool-approval-response', approvalId: 'a', approved: true };
const output = { type: 'tool-output-available', toolCallId: 'c', output: 1 };
const denied = { type: 'tool-output-denied', toolCallId: 'c' };
const deniedAsError = { type: 'tool-output-error', toolCallId: 'c', errorText: 'The user did not allow this call.' };
const late = [
  { type: 'custom', kind: 'openai.compaction' },
  { type: 'reasoning-file', url: 'data:image/png;base64,', mediaType: 'image/png' },
  { type: 'steering-message', id: 's', parts: [] },
];
const before = { id: 'm1', role: 'assistant', parts: [
  { type: 'step-start' }, { type: 'tool-pay', toolCallId: 'c', state: 'approval-requested', input: {}, approval: { id: 'a' } }] };
const same = (gated, ...majors) => Object.fromEntries(majors.map(major => [major, gated]));

export const gateCases = [
  { name: 'what all clients know passes as it came', chunks: [...on(...text, call, output), { type: 'finish', finishReason: 'stop' }] },
  { name: 'unknown types are never sent', chunks: on({ type: 'hologram' }, ...text), gated: same(on(...text), 5, 6, 7) },
  { name: 'types of late clients', chunks: on(...late, ...text), gated: same(on(...text), 5, 6) },
  { name: 'the reason interrupted', chunks: [...on(...text), { type: 'finish', finishReason: 'interrupted', messageMetadata: { a: 1 } }],
    gated: same([...on(...text), { type: 'finish', finishReason: 'other', messageMetadata: { a: 1 } }], 5, 6) },
  { name: 'the reason unknown', chunks: [...on(...text), { type: 'finish', finishReason: 'unknown' }],
    gated: same([...on(...text), { type: 'finish', finishReason: 'other' }], 6, 7) },
  { name: 'an approval that is asked and given', chunks: on(call, approval, response, output),
    gated: { 5: on(call, output), 6: on(call, approval, output) } },
  { name: 'a call that is denied', chunks: on(call, approval, denied), gated: { 5: on(call, deniedAsError) } },
  { name: 'a dynamic call that is denied', chunks: on(dynamicCall, denied), gated: { 5: on(dynamicCall, { ...deniedAsError, dynamic: true }) } },
  { name: 'an answer and a result for a call of the message before', before, chunks: on(response, output), gated: same(on(output), 5, 6) },
  { name: 'a step that is redone', chunks: on({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'lost' }, { type: 'reset-step' }, ...text),
    gated: same(on({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'lost' }, { type: '(cut)' }), 5, 6) },
  { name: 'deltas of texts that were never opened', chunks: on({ type: 'text-delta', id: 't', delta: 'x' }, { type: 'text-end', id: 't' }, { type: 'reasoning-delta', id: 'r', delta: 'y' }),
    gated: same(on({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'x' }, { type: 'text-end', id: 't' },
      { type: 'reasoning-start', id: 'r' }, { type: 'reasoning-delta', id: 'r', delta: 'y' }), 5, 6, 7) },
  { name: 'a text that goes on after its step', chunks: on({ type: 'text-start', id: 't' }, { type: 'finish-step' }, { type: 'start-step' }, { type: 'text-delta', id: 't', delta: 'x' }),
    gated: same(on({ type: 'text-start', id: 't' }, { type: 'finish-step' }, { type: 'start-step' }, { type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'x' }), 5, 6) },
  { name: 'ends of nothing', chunks: on({ type: 'text-end', id: 't' }, { type: 'reasoning-end', id: 'r' }, ...text), gated: same(on(...text), 5, 6, 7) },
  { name: 'results of calls that were never made', chunks: on(output, { type: 'tool-output-error', toolCallId: 'd', errorText: 'e' }, { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{' }, ...text),
    gated: same(on(...text), 5, 6, 7) },
  { name: 'approvals of nothing', chunks: on(approval, denied, response, ...text), gated: same(on(...text), 5, 6, 7) },
  { name: 'results that do not say that their call is dynamic', chunks: on(dynamicCall, output), gated: { 5: on(dynamicCall, { ...output, dynamic: true }) } },
  { name: 'results that say that their call is dynamic, and it is not', chunks: on(call, { ...output, dynamic: true }), gated: { 5: on(call, output) } },
  { name: 'a result for a call that was dropped', chunks: on({ type: 'tool-input-start', toolCallId: 'c', toolName: 'pay' }, { type: 'reset-step' }, output, { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{' }, ...text),
    gated: { ...same(on({ type: 'tool-input-start', toolCallId: 'c', toolName: 'pay' }, { type: '(cut)' }), 5, 6),
      7: on({ type: 'tool-input-start', toolCallId: 'c', toolName: 'pay' }, { type: 'reset-step' }, ...text) } },
];
