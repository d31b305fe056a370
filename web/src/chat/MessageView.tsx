import type { Overlay, Parting, PreviewMessage, TurnView } from '@holdfast/client';
import { memo, useState } from 'react';
import type { ReactNode } from 'react';
import { CopyButton } from '../ui/CopyButton';
import { Icon } from '../ui/Icon';
import { BranchArrows } from './BranchArrows';
import { statusOf, textOf } from './items';
import { PartView } from './PartView';

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** What can be done with a message. The same object as long as the page shows the same session. */
export interface MessageActions {
  edit(message: PreviewMessage, text: string): void;
  retry(message: PreviewMessage): void;
  show(leaf: string): void;
  /** Has the model read the messages of a summary again. */
  unfold(overlay: Overlay): void;
  answer(turn: TurnView, toolCallId: string, answer: { approved: boolean } | { output: unknown }): void;
}

export interface MessageProps {
  readonly message: PreviewMessage;
  readonly createdAt: string | null;
  readonly turn: TurnView | null;
  readonly parting: Parting | undefined;
  /** Whether it was looked for and found. */
  readonly found: boolean;
  readonly actions: MessageActions;
}

const REMARKS: Record<string, string> = {
  stopped: 'Stopped here',
  failed: 'The agent failed here',
  interrupted: 'Interrupted; what was written is kept',
};

export const MessageView = memo(function MessageView({ message, createdAt, turn, parting, found, actions }: MessageProps): ReactNode {
  const [editing, setEditing] = useState<string>();
  const isUser = message.role === 'user';
  const isWriting = turn !== null && turn.state === 'streaming' && turn.message !== null;
  const status = isWriting ? undefined : statusOf(message);
  const remark = status === undefined ? undefined : REMARKS[status.status];
  const text = textOf(message);
  return (
    <article
      className="message"
      data-role={message.role}
      data-writing={isWriting || undefined}
      data-found={found || undefined}
      data-status={status?.status}
      data-message={message.id}
      aria-label={isUser ? 'You' : message.role === 'assistant' ? 'Answer' : message.role}>
      <span className="knot" role="img" aria-label="On disk" title={createdAt === null ? 'Every chunk shown is on disk' : `On disk, ${TIME.format(new Date(createdAt))}`} />
      <div className="body">
        {editing === undefined ? (
          message.parts.map((part, index) => (
            <PartView key={index} part={part} isUser={isUser} turn={turn} isLast={index === message.parts.length - 1} actions={actions} />
          ))
        ) : (
          <form
            className="edit"
            onSubmit={event => {
              event.preventDefault();
              actions.edit(message, editing);
              setEditing(undefined);
            }}>
            <textarea autoFocus aria-label="Edit your message" rows={4} value={editing} onChange={event => setEditing(event.target.value)} onKeyDown={event => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.currentTarget.form?.requestSubmit()} />
            <div className="row">
              <button type="submit" className="primary" disabled={editing.trim() === ''}>
                Send as a new branch
              </button>
              <button type="button" onClick={() => setEditing(undefined)}>
                Cancel
              </button>
            </div>
          </form>
        )}
        {isWriting && <span className="caret" aria-hidden="true" />}
        {turn?.recovering === true && <p className="remark">The process that wrote this was lost; the answer is being taken up again.</p>}
        {remark !== undefined && (
          <p className="remark" data-status={status?.status}>
            {remark}
            {status?.reason ? `: ${status.reason}` : '.'}
          </p>
        )}
        {!isWriting && editing === undefined && (
          <div className="actions">
            {parting !== undefined && <BranchArrows message={message.id} parting={parting} show={actions.show} />}
            {text !== '' && <CopyButton text={text} label="Copy message" />}
            {isUser ? (
              <button type="button" className="quiet" aria-label="Edit message" title="Edit: makes a branch" onClick={() => setEditing(text)}>
                <Icon name="edit" />
              </button>
            ) : (
              turn === null && (
                <button type="button" className="quiet" aria-label="Retry" title="Answer once more: makes a branch" onClick={() => actions.retry(message)}>
                  <Icon name="retry" />
                </button>
              )
            )}
          </div>
        )}
      </div>
    </article>
  );
});
