import type { Part, TurnView } from '@holdfast/client';
import { memo } from 'react';
import type { ReactNode } from 'react';
import { Markdown } from '../markdown/Markdown';
import { safeLink } from '../markdown/links';
import { FileView } from './FileView';
import type { MessageActions } from './MessageView';
import { ToolView } from './ToolView';

export interface PartProps {
  readonly part: Part;
  readonly isUser: boolean;
  readonly turn: TurnView | null;
  readonly isLast: boolean;
  /** Whether the answer was stopped. */
  readonly isStopped: boolean;
  readonly actions: MessageActions;
}

/** A part of a message. Parts are replaced and never changed, so those that stayed are not drawn again. */
export const PartView = memo(
  function PartView({ part, isUser, turn, isLast, isStopped, actions }: PartProps): ReactNode {
    const text = typeof part['text'] === 'string' ? part['text'] : '';
    switch (part.type) {
      case 'text':
        return isUser ? <p className="said">{text}</p> : <Markdown text={text} />;
      case 'reasoning':
        return text === '' && !isLast ? null : (
          <details className="reasoning" open={isLast && part['state'] === 'streaming'}>
            <summary>{part['state'] === 'streaming' ? 'Thinking …' : 'Thoughts'}</summary>
            <Markdown text={text} />
          </details>
        );
      case 'file':
      case 'reasoning-file':
        return <FileView url={String(part['url'])} mediaType={String(part['mediaType'])} filename={part['filename'] as string | undefined} />;
      case 'source-url':
        return <Source href={String(part['url'])} title={part['title'] as string | undefined} />;
      case 'source-document':
        return <p className="source">Source: {String(part['title'] ?? part['filename'] ?? 'document')}</p>;
      case 'step-start':
        return null;
      default:
        if (part.type.startsWith('tool-') || part.type === 'dynamic-tool') {
          return <ToolView part={part} turn={turn} isStopped={isStopped} actions={actions} />;
        }
        return part.type.startsWith('data-') ? (
          <details className="data">
            <summary>{part.type.slice('data-'.length)}</summary>
            <pre tabIndex={0}>{JSON.stringify(part['data'], null, 2)}</pre>
          </details>
        ) : null;
    }
  },
  (before, after) =>
    before.part === after.part &&
    before.isLast === after.isLast &&
    before.isStopped === after.isStopped &&
    before.actions === after.actions &&
    before.turn?.id === after.turn?.id &&
    before.turn?.pending === after.turn?.pending,
);

function Source({ href, title }: { href: string; title: string | undefined }): ReactNode {
  const safe = safeLink(href);
  return (
    <p className="source">
      Source:{' '}
      {safe === undefined ? (
        (title ?? href)
      ) : (
        <a href={safe} target="_blank" rel="noopener noreferrer nofollow">
          {title ?? href}
        </a>
      )}
    </p>
  );
}
