import type { ReactNode } from 'react';

const TRIES: readonly { label: string; text: string; what: string }[] = [
  { label: 'A long answer', text: 'Give me a long answer', what: 'and cut the connection while it comes' },
  { label: 'Markdown', text: 'Show me markdown', what: 'with a table, a list and code' },
  { label: 'A tool that asks', text: 'Run a tool, and let me approve it', what: 'on this device or another' },
  { label: 'A failure', text: 'Please fail', what: 'and what is left of it' },
];

/** A conversation without messages. */
export function Welcome({ ask }: { ask: (text: string) => void }): ReactNode {
  return (
    <div className="welcome">
      <h1>What is written here stays.</h1>
      <p>
        Every word of an answer is on the server's disk before you see it. Reload, lose the network, change the device, kill the server: the answer goes on where it was.
      </p>
      <ul className="tries">
        {TRIES.map(each => (
          <li key={each.text}>
            <button type="button" onClick={() => ask(each.text)}>
              <b>{each.label}</b> <span>{each.what}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
