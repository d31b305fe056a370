import type { Part, TurnView } from '@holdfast/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Icon } from '../ui/Icon';
import type { MessageActions } from './MessageView';

const STATES: Record<string, string> = {
  'input-streaming': 'is being called',
  'input-available': 'runs',
  'approval-requested': 'asks for your approval',
  'approval-responded': 'was answered',
  'output-available': 'done',
  'output-error': 'failed',
  'output-denied': 'denied',
  'cut-short': 'ended without a result',
};

/** What the server writes into a call that its turn left without a result: nothing failed in it. */
const CUT_SHORT = 'The tool call was interrupted and has no result.';

/** The state of a call as it is shown; `cut-short` is the one that messages have no name for. */
export function stateOf(part: Part): string {
  return part['state'] === 'output-error' && part['errorText'] === CUT_SHORT ? 'cut-short' : String(part['state']);
}

interface ToolProps {
  readonly part: Part;
  readonly turn: TurnView | null;
  /** Whether the answer was stopped. */
  readonly isStopped: boolean;
  readonly actions: MessageActions;
}

/** A call of a tool: what it was given, what came of it, and what it waits for. */
export function ToolView({ part, turn, isStopped, actions }: ToolProps): ReactNode {
  const state = stateOf(part);
  const id = String(part['toolCallId']);
  const name = part.type === 'dynamic-tool' ? String(part['toolName']) : part.type.slice('tool-'.length);
  const pending = turn?.pending.find(call => call.toolCallId === id);
  const told = pending !== undefined && !pending.approval ? 'waits for its result' : state === 'cut-short' && isStopped ? 'stopped, not answered' : (STATES[state] ?? state);
  return (
    <section className="tool" data-state={state} aria-label={`Tool ${name}`}>
      <details>
        <summary>
          <Icon name="tool" />
          <span className="call">
            <b>{name}</b> <span className="told">{told}</span>
          </span>
        </summary>
        {part['input'] !== undefined && <Value label="Input" value={part['input']} />}
        {part['output'] !== undefined && <Value label="Output" value={part['output']} />}
        {part['errorText'] !== undefined && state !== 'cut-short' && <Value label="Error" value={part['errorText']} />}
      </details>
      {turn !== null && pending?.approval === true && <Approval turn={turn} id={id} name={name} input={pending.input} actions={actions} />}
      {turn !== null && pending?.approval === false && <Output turn={turn} id={id} actions={actions} />}
    </section>
  );
}

function Value({ label, value }: { label: string; value: unknown }): ReactNode {
  return (
    <>
      <h3>{label}</h3>
      <pre tabIndex={0}>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>
    </>
  );
}

interface Answering {
  readonly turn: TurnView;
  readonly id: string;
  readonly actions: MessageActions;
}

function Approval({ turn, id, name, input, actions }: Answering & { name: string; input: unknown }): ReactNode {
  return (
    <div className="approval" role="group" aria-label={`May ${name} run?`}>
      <p>
        May <b>{name}</b> run?
      </p>
      {input !== undefined && <pre tabIndex={0}>{JSON.stringify(input, null, 2)}</pre>}
      <div className="row">
        <button type="button" className="primary" onClick={() => actions.answer(turn, id, { approved: true })}>
          Approve
        </button>
        <button type="button" onClick={() => actions.answer(turn, id, { approved: false })}>
          Deny
        </button>
      </div>
    </div>
  );
}

function Output({ turn, id, actions }: Answering): ReactNode {
  const [text, setText] = useState('');
  return (
    <form
      className="approval"
      onSubmit={event => {
        event.preventDefault();
        actions.answer(turn, id, { output: parsed(text) });
      }}>
      <label>
        Result of the tool, as text or JSON
        <textarea rows={3} value={text} onChange={event => setText(event.target.value)} />
      </label>
      <div className="row">
        <button type="submit" className="primary">
          Give the result
        </button>
      </div>
    </form>
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
