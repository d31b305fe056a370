import type { Overlay, Parting, PreviewMessage, TurnView } from '@holdfast/client';
import { memo, useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { CopyButton } from '../ui/CopyButton';
import { Icon } from '../ui/Icon';
import { BranchArrows } from './BranchArrows';
import { EditForm } from './EditForm';
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
  const [editing, setEditing] = useState(false);
  const editButton = useRef<HTMLButtonElement>(null);
  /** The edit was given up: who did it goes on where it began. */
  const isLeft = useRef(false);
  useEffect(() => {
    if (isLeft.current) {
      isLeft.current = false;
      editButton.current?.focus({ preventScroll: true });
    }
  }, [editing]);
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
        {!editing ? (
          message.parts.map((part, index) => (
            <PartView key={index} part={part} isUser={isUser} turn={turn} isLast={index === message.parts.length - 1} isStopped={status?.status === 'stopped'} actions={actions} />
          ))
        ) : (
          <EditForm
            message={message}
            save={changed => {
              setEditing(false);
              actions.edit(message, changed);
            }}
            cancel={() => {
              setEditing(false);
              isLeft.current = true;
            }}
          />
        )}
        {isWriting && <span className="caret" aria-hidden="true" />}
        {isWriting && <p className="remark paused">Paused here: there is no connection. The rest comes when it is back.</p>}
        {turn?.recovering === true && <p className="remark">The process that wrote this was lost; the answer is being taken up again.</p>}
        {remark !== undefined && (
          <p className="remark" data-status={status?.status}>
            {remark}
            {status?.reason ? `: ${status.reason}` : '.'}
          </p>
        )}
        {!isWriting && !editing && (
          <div className="actions">
            {parting !== undefined && <BranchArrows message={message.id} parting={parting} show={actions.show} />}
            {text !== '' && <CopyButton text={text} label="Copy message" />}
            {isUser ? (
              <button ref={editButton} type="button" className="quiet" aria-label="Edit message" title="Edit: makes a branch" onClick={() => setEditing(true)}>
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
