// What a provider sent, read from its recorded events by the rules of its API and nothing else.

/** `{ text, reasoning, tools: [{ name, input, output }], sources }`; an output is missing if the provider sent none. */
export function sentBy(name, events) {
  if (name.startsWith('anthropic')) {
    return sentByMessages(events);
  }
  return name.includes('responses') ? sentByResponses(events) : sentByChat(events);
}

function sentByChat(events) {
  const deltas = events.flatMap(event => event.choices ?? []).map(choice => choice.delta ?? {});
  const calls = [];
  for (const call of deltas.flatMap(delta => delta.tool_calls ?? [])) {
    const known = (calls[call.index] ??= { name: '', input: '' });
    known.name += call.function?.name ?? '';
    known.input += call.function?.arguments ?? '';
  }
  return {
    text: deltas.map(delta => delta.content ?? '').join(''),
    reasoning: deltas.map(delta => delta.reasoning_content ?? '').join(''),
    tools: calls.map(({ name, input }) => ({ name, input: JSON.parse(input) })),
    sources: [],
  };
}

function sentByResponses(events) {
  const items = events.filter(event => event.type === 'response.output_item.done').map(event => event.item);
  return {
    text: items.flatMap(item => (item.type === 'message' ? item.content : [])).map(part => part.text).join(''),
    reasoning: items.flatMap(item => item.summary ?? []).map(part => part.text).join(''),
    tools: items.filter(item => item.type === 'mcp_call').map(item => ({
      name: `mcp.${item.name}`,
      input: JSON.parse(item.arguments),
      output: {
        type: 'call', serverLabel: item.server_label, name: item.name, arguments: item.arguments, output: item.output,
      },
    })),
    sources: [],
  };
}

/** Content blocks, of one answer or of several in a row. */
function sentByMessages(events) {
  const blocks = [];
  let open;
  for (const event of events) {
    switch (event.type) {
      case 'message_start':
        blocks.push(...event.message.content);
        break;
      case 'content_block_start':
        open = { ...event.content_block, json: '' };
        blocks.push(open);
        break;
      case 'content_block_delta':
        open.text += event.delta.text ?? '';
        open.json += event.delta.partial_json ?? '';
        open.citations = [...(open.citations ?? []), ...(event.delta.citation ? [event.delta.citation] : [])];
        break;
      default:
    }
  }
  const results = new Map(blocks.filter(block => block.tool_use_id).map(block => [block.tool_use_id, block.content]));
  return {
    text: blocks.filter(block => block.type === 'text').map(block => block.text).join(''),
    reasoning: '',
    tools: blocks.filter(block => block.type.endsWith('tool_use')).map(block => ({
      name: block.name,
      input: block.json ? JSON.parse(block.json) : block.input,
      ...(results.has(block.id) ? { output: results.get(block.id) } : {}),
    })),
    sources: [...new Set(blocks.flatMap(block => block.citations ?? []).map(citation => citation.url))],
  };
}

/** The same of a message; outputs only of those calls that `sent` has an output for. */
export function shownIn(message, sent) {
  const of = type => message.parts.filter(part => part.type === type);
  const calls = message.parts.filter(part => part.toolCallId);
  return {
    text: of('text').map(part => part.text).join(''),
    reasoning: of('reasoning').map(part => part.text).join(''),
    tools: calls.map((part, i) => ({
      name: part.toolName ?? part.type.slice('tool-'.length),
      input: part.input,
      ...(sent.tools[i]?.output === undefined ? {} : { output: part.output }),
    })),
    sources: of('source-url').map(part => part.url),
  };
}
