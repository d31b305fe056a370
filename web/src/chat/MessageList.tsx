import type { Parting } from '@holdfast/client';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { MouseEvent, ReactElement, ReactNode, SyntheticEvent } from 'react';
import { Virtualizer } from 'virtua';
import type { VirtualizerHandle } from 'virtua';
import { Icon } from '../ui/Icon';
import { FoldView } from './FoldView';
import type { Item } from './items';
import { MessageView } from './MessageView';
import type { MessageActions } from './MessageView';
import { Outgoing } from './Outgoing';
import { useFound } from './use-found';

/** Pixels above the end that still count as the end. */
const NEAR_PX = 48;

export interface ListProps {
  readonly items: readonly Item[];
  readonly branches: ReadonlyMap<string, Parting>;
  readonly actions: MessageActions;
  readonly hasOlder: boolean;
  readonly loadingOlder: boolean;
  /** A message to go to; each other value goes there once. */
  readonly target: string | null;
  /** The words in it that were looked for. */
  readonly find: string | null;
  loadOlder(): void;
}

/** The conversation. Only what is in sight is in the page, however long it is; the end is kept in sight while it grows, unless the reader has scrolled away from it. */
export function MessageList({ items, branches, actions, hasOlder, loadingOlder, target, find, loadOlder }: ListProps): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const isAtEnd = useRef(true);
  /** Whether the reader's hand moved the list since it was at its end; what grows moves it, too, and means nothing. */
  const isMoved = useRef(false);
  const [away, setAway] = useState(false);
  const firstKey = useRef<string>(undefined);
  const isPrepended = firstKey.current !== undefined && firstKey.current !== items[0]?.key && items.some(item => item.key === firstKey.current);
  useLayoutEffect(() => {
    firstKey.current = items[0]?.key;
  });

  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (element !== null) {
      element.scrollTop = element.scrollHeight;
    }
  }, []);
  useEffect(() => {
    const observed = inner.current;
    const outer = scroller.current;
    if (observed === null || outer === null) {
      return undefined;
    }
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) {
        toEnd();
      } else {
        setAway(!isNearEnd(outer));
      }
    });
    observer.observe(observed);
    observer.observe(outer);
    return () => observer.disconnect();
  }, [toEnd]);

  const own = items.at(-1);
  const ownKey = own?.kind === 'sending' ? own.key : undefined;
  useEffect(() => {
    if (ownKey !== undefined) {
      isAtEnd.current = true; // whoever sends wants to see it
      setAway(false);
      toEnd();
    }
  }, [ownKey, toEnd]);

  const place = target === null ? -1 : items.findIndex(item => item.key === target);
  useEffect(() => {
    if (place >= 0) {
      isAtEnd.current = false;
      list.current?.scrollToIndex(place, { align: 'center' });
    }
  }, [target, place >= 0]);
  useFound(scroller, target, find, place >= 0);

  const scrolled = () => {
    const element = scroller.current;
    if (element !== null) {
      if (isNearEnd(element)) {
        isAtEnd.current = true;
        isMoved.current = false;
      } else if (isMoved.current) {
        isAtEnd.current = false;
      } else if (isAtEnd.current) {
        toEnd();
      }
      setAway(!isAtEnd.current);
    }
  };
  const moved = () => void (isMoved.current = true);
  /** What is opened grows below the hand that opened it, instead of moving away above it. */
  const opened = (event: MouseEvent) => {
    if ((event.target as Element).closest('summary') !== null) {
      isAtEnd.current = false;
    }
  };
  const movedItself = (event: SyntheticEvent) => event.target === event.currentTarget && moved(); // its scroll bar, or its keys
  return (
    <div className="list-box">
      <div
        className="list"
        ref={scroller}
        onScroll={scrolled}
        onClick={opened}
        onWheel={moved}
        onTouchMove={moved}
        onPointerDown={movedItself}
        onKeyDown={movedItself}
        tabIndex={0}
        role="region"
        aria-label="Conversation">
        {hasOlder && (
          <button type="button" className="older" onClick={loadOlder} disabled={loadingOlder}>
            {loadingOlder ? 'Loading …' : 'Show older messages'}
          </button>
        )}
        <div className="rope" ref={inner}>
          <Virtualizer ref={list} data={items} shift={isPrepended} scrollRef={scroller} bufferSize={600}>
            {item => line(item, branches, actions, target)}
          </Virtualizer>
        </div>
      </div>
      {away && (
        <button
          type="button"
          className="to-end"
          onClick={() => {
            isAtEnd.current = true;
            list.current?.scrollToIndex(items.length - 1, { align: 'end' });
            toEnd();
          }}>
          <Icon name="download" /> Latest
        </button>
      )}
    </div>
  );
}

function isNearEnd(element: HTMLElement): boolean {
  return element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
}

function line(item: Item, branches: ReadonlyMap<string, Parting>, actions: MessageActions, target: string | null): ReactElement {
  switch (item.kind) {
    case 'message':
      return (
        <MessageView
          key={item.key}
          message={item.message}
          createdAt={item.createdAt}
          turn={item.turn}
          parting={branches.get(item.message.id)}
          found={item.key === target}
          actions={actions}
        />
      );
    case 'fold':
      return <FoldView key={item.key} overlay={item.overlay} unfold={actions.unfold} />;
    case 'sending':
      return <Outgoing key={item.key} entry={item.entry} />;
    case 'turn':
      return (
        <article key={item.key} className="message" data-role="assistant" aria-label="Answer">
          <span className="knot" data-open="" aria-hidden="true" />
          <div className="body">
            <p className="remark thinking">{item.turn.recovering ? 'Being taken up again …' : item.turn.state === 'accepted' ? 'Waits in the queue …' : 'Begins …'}</p>
          </div>
        </article>
      );
    case 'outcome': {
      const { asked } = item;
      return (
        <article key={item.key} className="message" data-role="assistant" data-status={item.outcome.outcome} aria-label="Outcome">
          <span className="knot" aria-hidden="true" />
          <div className="body">
            <p className="remark" data-status={item.outcome.outcome}>
              The last turn ended as {item.outcome.outcome}
              {item.outcome.reason === null ? '.' : `: ${item.outcome.reason}`}
            </p>
            {asked !== null && (
              <div className="row">
                <button type="button" onClick={() => actions.retry(asked)}>
                  <Icon name="retry" /> Try again
                </button>
              </div>
            )}
          </div>
        </article>
      );
    }
  }
}
