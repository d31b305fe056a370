// Chunk sequences whose messages the Java code must make like the client does.
// `majors` are the clients that accept the chunks; `differs` says where an older client makes another message of them.

const text = (id, ...deltas) => [
  { type: 'text-start', id },
  ...deltas.map(delta => ({ type: 'text-delta', id, delta })),
  { type: 'text-end', id },
];
const reasoning = (id, ...deltas) => [
  { type: 'reasoning-start', id },
  ...deltas.map(delta => ({ type: 'reasoning-delta', id, delta })),
  { type: 'reasoning-end', id },
];
const message = (...chunks) => [{ type: 'start', messageId: 'm1' }, ...chunks, { type: 'finish' }];
const step = (...chunks) => [{ type: 'start-step' }, ...chunks, { type: 'finish-step' }];
const meta = value => ({ provider: { value } });

export const cases = [
  { name: 'text in one step', majors: [5, 6, 7], chunks: message(...step(...text('t', 'Hel', 'lo ', '🌍'))) },
  { name: 'an emoji split between two deltas', majors: [5, 6, 7], chunks: message(...step(...text('t', '\ud83c', '\udf0d'))) },
  { name: 'reasoning then text', majors: [5, 6, 7], chunks: message(...step(...reasoning('r', 'a', 'b'), ...text('t', 'c'))) },
  { name: 'two texts interleaved', majors: [5, 6, 7], chunks: message(...step(
    { type: 'text-start', id: 'a' }, { type: 'text-start', id: 'b' },
    { type: 'text-delta', id: 'a', delta: '1' }, { type: 'text-delta', id: 'b', delta: '2' },
    { type: 'text-delta', id: 'a', delta: '3' }, { type: 'text-end', id: 'b' }, { type: 'text-end', id: 'a' })) },
  { name: 'the same text id in two steps', majors: [5, 6, 7], chunks: message(...step(...text('0', 'x')), ...step(...text('0', 'y'))) },
  { name: 'provider metadata of a text, the last wins', majors: [5, 6, 7], chunks: message(...step(
    { type: 'text-start', id: 't', providerMetadata: meta(1) },
    { type: 'text-delta', id: 't', delta: 'x', providerMetadata: meta(2) },
    { type: 'text-delta', id: 't', delta: 'y' }, { type: 'text-end', id: 't' })) },
  { name: 'a stream that ends inside a text', majors: [5, 6, 7], chunks: [
    { type: 'start', messageId: 'm1' }, { type: 'start-step' },
    { type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'half' }] },
  { name: 'a tool call with its result', majors: [5, 6, 7], chunks: message(...step(
    { type: 'tool-input-start', toolCallId: 'c', toolName: 'weather' },
    { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"city":"Par' },
    { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: 'is"}' },
    { type: 'tool-input-available', toolCallId: 'c', toolName: 'weather', input: { city: 'Paris' } },
    { type: 'tool-output-available', toolCallId: 'c', output: { degrees: 1.5, none: null } })) },
  { name: 'a tool call whose input is still coming', majors: [5, 6, 7], chunks: [
    { type: 'start', messageId: 'm1' }, { type: 'start-step' },
    { type: 'tool-input-start', toolCallId: 'c', toolName: 'weather' },
    { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"city":"Par' }] },
  { name: 'a tool call whose input never began', majors: [5, 6, 7], chunks: [
    { type: 'start', messageId: 'm1' }, { type: 'tool-input-start', toolCallId: 'c', toolName: 'weather' }] },
  { name: 'a tool call without deltas', majors: [5, 6, 7], chunks: message(...step(
    { type: 'tool-input-available', toolCallId: 'c', toolName: 'weather', input: null },
    { type: 'tool-output-available', toolCallId: 'c', output: null })) },
  { name: 'a tool call that fails', majors: [5, 6, 7], chunks: message(...step(
    { type: 'tool-input-available', toolCallId: 'c', toolName: 'weather', input: { city: 'X' } },
    { type: 'tool-output-error', toolCallId: 'c', errorText: 'no such city' })) },
  { name: 'preliminary outputs are replaced', majors: [5, 6, 7], chunks: message(...step(
    { type: 'tool-input-available', toolCallId: 'c', toolName: 'weather', input: {} },
    { type: 'tool-output-available', toolCallId: 'c', output: 1, preliminary: true },
    { type: 'tool-output-available', toolCallId: 'c', output: 2, preliminary: true },
    { type: 'tool-output-available', toolCallId: 'c', output: 3 })) },
  { name: 'a dynamic tool of the provider', majors: [5, 6, 7], chunks: message(...step(
    { type: 'tool-input-start', toolCallId: 'c', toolName: 'search', dynamic: true, providerExecuted: true },
    { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{}' },
    { type: 'tool-input-available', toolCallId: 'c', toolName: 'search', input: {}, dynamic: true, providerExecuted: true },
    { type: 'tool-output-available', toolCallId: 'c', output: 'found', dynamic: true, providerExecuted: true })) },
  { name: 'a dynamic tool that fails', majors: [5, 6, 7], chunks: message(...step(
    { type: 'tool-input-available', toolCallId: 'c', toolName: 'search', input: {}, dynamic: true },
    { type: 'tool-output-error', toolCallId: 'c', errorText: 'down', dynamic: true })) },
  { name: 'the result of a tool in a later step', majors: [5, 6, 7], chunks: message(
    ...step({ type: 'tool-input-available', toolCallId: 'c', toolName: 'slow', input: {} }),
    ...step(...text('t', 'meanwhile'), { type: 'tool-output-available', toolCallId: 'c', output: 1 })) },
  { name: 'the same tool call id in two steps', majors: [5, 6, 7], chunks: message(
    ...step({ type: 'tool-input-available', toolCallId: 'c', toolName: 'w', input: 1 }, { type: 'tool-output-available', toolCallId: 'c', output: 1 }),
    ...step({ type: 'tool-input-available', toolCallId: 'c', toolName: 'w', input: 2 }, { type: 'tool-output-available', toolCallId: 'c', output: 2 })) },
  { name: 'malformed input of a tool', majors: [5, 6, 7],
    differs: { 5: 'it moves the input to rawInput', 6: 'it moves the input to rawInput' },
    chunks: message(...step(
    { type: 'tool-input-start', toolCallId: 'c', toolName: 'weather' },
    { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"city":' },
    { type: 'tool-input-error', toolCallId: 'c', toolName: 'weather', input: '{"city":', errorText: 'bad input' },
    { type: 'tool-output-error', toolCallId: 'c', errorText: 'bad input' })) },
  { name: 'titles and metadata of a tool', majors: [5, 6, 7],
    differs: { 5: 'it knows neither title nor metadata of results' },
    chunks: message(...step(
    { type: 'tool-input-start', toolCallId: 'c', toolName: 'weather', title: 'Weather', toolMetadata: { a: 1 }, providerMetadata: meta(1) },
    { type: 'tool-input-available', toolCallId: 'c', toolName: 'weather', input: {}, providerMetadata: meta(2) },
    { type: 'tool-output-available', toolCallId: 'c', output: 1, providerMetadata: meta(3) })) },
  { name: 'input of a tool as plain text', majors: [6, 7], chunks: message(...step(
    { type: 'tool-input-start', toolCallId: 'c', toolName: 'sh', inputEncoding: 'text' },
    { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: 'ls -' },
    { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: 'l' })) },
  { name: 'an approval that is asked', majors: [6, 7], chunks: message(...step(
    { type: 'tool-input-available', toolCallId: 'c', toolName: 'pay', input: { sum: 1 } },
    { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c', signature: 's' })) },
  { name: 'an approval that is given', majors: [7], chunks: message(...step(
    { type: 'tool-input-available', toolCallId: 'c', toolName: 'pay', input: { sum: 1 } },
    { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c', reason: 'money', isAutomatic: true },
    { type: 'tool-approval-response', approvalId: 'a', approved: true, reason: 'fine' },
    { type: 'tool-output-available', toolCallId: 'c', output: 'paid' })) },
  { name: 'a call that is denied', majors: [6, 7], chunks: message(...step(
    { type: 'tool-input-available', toolCallId: 'c', toolName: 'pay', input: { sum: 1 } },
    { type: 'tool-output-denied', toolCallId: 'c' })) },
  { name: 'sources', majors: [5, 6, 7], chunks: message(...step(
    { type: 'source-url', sourceId: 's1', url: 'https://example.org', title: 'Example' },
    { type: 'source-url', sourceId: 's2', url: 'https://example.com', providerMetadata: meta(1) },
    { type: 'source-document', sourceId: 's3', mediaType: 'text/plain', title: 'Doc', filename: 'doc.txt' })) },
  { name: 'a file', majors: [5, 6, 7], chunks: message(...step({ type: 'file', url: 'data:text/plain,x', mediaType: 'text/plain' })) },
  { name: 'a file with metadata', majors: [5, 6, 7], differs: { 5: 'it drops the metadata of files' },
    chunks: message(...step({ type: 'file', url: 'data:text/plain,x', mediaType: 'text/plain', providerMetadata: meta(1) })) },
  { name: 'data parts replace each other by id', majors: [5, 6, 7], chunks: message(
    { type: 'data-progress', id: 'p', data: 1 }, { type: 'data-progress', data: 'no id' },
    { type: 'data-other', id: 'p', data: 'other' }, { type: 'data-progress', id: 'p', data: { done: true } },
    { type: 'data-progress', data: 'no id' }) },
  { name: 'transient data is not kept', majors: [5, 6, 7], chunks: message(
    { type: 'data-toast', data: 1, transient: true }, { type: 'data-kept', data: 1, transient: false }) },
  { name: 'metadata is merged deeply', majors: [5, 6, 7], chunks: [
    { type: 'start', messageId: 'm1', messageMetadata: { a: { x: 1, list: [1, 2] }, keep: 1 } },
    { type: 'message-metadata', messageMetadata: { a: { y: 2, list: [3] }, b: null } },
    ...step(...text('t', 'x')),
    { type: 'finish', finishReason: 'stop', messageMetadata: { a: { x: { deep: true } }, usage: { total: 3 } } }] },
  { name: 'an error after a text', majors: [5, 6, 7], chunks: [
    { type: 'start', messageId: 'm1' }, ...step(...text('t', 'x')), { type: 'error', errorText: 'boom' }] },
  { name: 'an abort after a text', majors: [5, 6, 7], chunks: [
    { type: 'start', messageId: 'm1' }, ...step(...text('t', 'x')), { type: 'abort' }] },
  { name: 'a second start, chunks after finish, finish twice', majors: [5, 6, 7], chunks: [
    ...message(...step(...text('t', 'x'))), { type: 'start', messageId: 'm1' }, ...step(...text('u', 'y')),
    { type: 'finish' }, { type: 'finish', finishReason: 'stop' }] },
  { name: 'a step that is redone', majors: [7], chunks: message(
    ...step(...text('t', 'kept')), { type: 'start-step' }, { type: 'text-start', id: 'u' }, { type: 'text-delta', id: 'u', delta: 'lost' },
    { type: 'tool-input-start', toolCallId: 'c', toolName: 'w' }, { type: 'data-x', id: 'd', data: 1 }, { type: 'reset-step' },
    { type: 'tool-input-available', toolCallId: 'c', toolName: 'w', input: 1 }, { type: 'data-x', id: 'd', data: 2 }, ...text('u', 'new')) },
  { name: 'parts of late clients', majors: [7], chunks: message(...step(
    { type: 'custom', kind: 'openai.compaction', providerMetadata: meta(1) },
    { type: 'reasoning-file', url: 'data:image/png;base64,', mediaType: 'image/png' },
    { type: 'steering-message', id: 's', parts: [{ type: 'text', text: 'also this' }] },
    { type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'x' },
    { type: 'text-end', id: 't', citations: [] })) },
  { name: 'a message that goes on after a wait', majors: [5, 6, 7],
    before: { id: 'm1', role: 'assistant', metadata: { a: 1 }, parts: [
      { type: 'step-start' }, { type: 'text', text: 'I look.', state: 'done' },
      { type: 'tool-weather', toolCallId: 'c', state: 'output-available', input: { city: 'X' }, output: 7 }] },
    chunks: message(...step(...text('t', 'It is 7.')), { type: 'message-metadata', messageMetadata: { b: 2 } }) },
  { name: 'a message that goes on with the result of a call', majors: [5, 6, 7],
    before: { id: 'm1', role: 'assistant', parts: [
      { type: 'step-start' }, { type: 'tool-weather', toolCallId: 'c', state: 'input-available', input: { city: 'X' } }] },
    chunks: message({ type: 'tool-output-available', toolCallId: 'c', output: 7 }, ...step(...text('t', 'ok'))) },
  { name: 'a message that goes on inside the input of a call', majors: [5, 6, 7],
    before: { id: 'm1', role: 'assistant', parts: [
      { type: 'step-start' }, { type: 'tool-weather', toolCallId: 'c', state: 'input-streaming', input: { city: 'X' }, rawInput: '{"city":"X' }] },
    chunks: [{ type: 'start', messageId: 'm1' }, { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: 'Y"' }] },
];

// Texts of which every prefix is read.
export const partialTexts = [
  '{"city":"Par\\u00e9\\n\\"s","n":[1,-2.5e-3,true,false,null,{"x":{}}],"t":""}',
  '[[],["a"], {"b" : [ ] } , 12]',
  '"text"',
  '-12.5',
  'true',
  ' {"a": nullx}',
  'nonsense',
];
