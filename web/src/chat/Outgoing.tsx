import type { OutboxEntry } from '@holdfast/client';
import type { ReactNode } from 'react';
import { useClient } from '../client';

const STATES: Record<OutboxEntry['status'], string> = {
  pending: 'Kept here until it can be sent',
  sending: 'Being sent; not on disk yet',
  uncertain: 'Sent, and not answered yet; it is sent again under the same key',
  failed: 'Refused',
};

/** A message of the user that the server has not confirmed. Only its receipt makes it one of the conversation. */
export function Outgoing({ entry }: { entry: OutboxEntry }): ReactNode {
  const client = useClient();
  const text = entry.turn.message?.text ?? textOfParts(entry.turn.message?.content?.parts);
  return (
    <article className="message" data-role="user" data-outgoing={entry.status} aria-label="You, on its way">
      <span className="knot" data-open="" role="img" aria-label={STATES[entry.status]} title={STATES[entry.status]} />
      <div className="body">
        <p className="said">{text}</p>
        <p className="remark" data-status={entry.status}>
          {entry.status === 'failed' && entry.problem !== undefined ? entry.problem.detail : STATES[entry.status]}.
        </p>
        {entry.status !== 'sending' && (
          <div className="row">
            {entry.status === 'failed' && (
              <button type="button" onClick={() => client.outbox.retry(entry.key)}>
                Send again
              </button>
            )}
            <button type="button" onClick={() => client.outbox.discard(entry.key)}>
              Discard
            </button>
          </div>
        )}
      </div>
    </article>
  );
}

function textOfParts(parts: readonly unknown[] | undefined): string {
  return (parts ?? [])
    .map(part => part as { type?: string; text?: string; filename?: string })
    .map(part => (part.type === 'text' ? part.text : part.type === 'file' ? `[${part.filename ?? 'file'}]` : ''))
    .filter(text => text !== '')
    .join('\n');
}
