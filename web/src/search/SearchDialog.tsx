import type { SearchHit } from '@holdfast/client';
import { useEffect, useRef, useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { useClient } from '../client';
import { chatRoute, routeTo } from '../route';
import { Icon } from '../ui/Icon';
import { excerptOf, titleOf } from './excerpt';
import type { Piece } from './excerpt';
import { useSearch } from './use-search';

/** Looks through the titles and the messages of all conversations. */
export function SearchDialog({ close }: { close: () => void }): ReactNode {
  const client = useClient();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const { found, fault, moreSessions, moreHits } = useSearch(client, text);
  useEffect(() => dialog.current?.showModal(), []);
  const leave = () => dialog.current?.close();
  /** The arrows go from the words through all that was found and back; Enter in the words opens the first of it. */
  const pressed = (event: KeyboardEvent) => {
    const links = [...(dialog.current?.querySelectorAll('a') ?? [])];
    const stops: HTMLElement[] = [...(dialog.current?.querySelectorAll('input') ?? []), ...links];
    const place = stops.indexOf(document.activeElement as HTMLElement);
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (event.key === 'Escape') {
      event.preventDefault(); // a search field would only empty itself
      leave();
    } else if (by !== 0 && !event.altKey) {
      event.preventDefault();
      stops[Math.max(0, place + by)]?.focus();
    } else if (event.key === 'Enter' && place === 0 && !event.nativeEvent.isComposing && found.text === text.trim()) {
      links[0]?.click();
    }
  };
  const hasSessions = found.sessions.length > 0 || found.nextSessions !== null; // a step may find none and go on
  const hasHits = found.hits.length > 0 || found.nextHits !== null;
  const isNothing = !hasSessions && !hasHits;
  return (
    <dialog ref={dialog} className="panel search" aria-label="Search" onClose={close} onKeyDown={pressed} onClick={event => event.target === dialog.current && leave()}>
      <div className="search-head">
        <Icon name="search" />
        <input type="search" autoFocus aria-label="Search titles and messages" placeholder="Search titles and messages" value={text} onChange={event => setText(event.target.value)} />
        <button type="button" className="quiet" aria-label="Close" onClick={leave}>
          <Icon name="close" />
        </button>
      </div>
      <p className="unseen" role="status">
        {found.text === '' ? '' : `${count(found.sessions, found.nextSessions)} conversations and ${count(found.hits, found.nextHits)} messages found`}
      </p>
      {fault !== null && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
      {!isNothing && (
        <div className="found">
          {hasSessions && (
            <section aria-label="Conversations">
              <h2>Conversations</h2>
              <ul className="hits">
                {found.sessions.map(each => (
                  <li key={each.id}>
                    <a href={routeTo(chatRoute(each.id))} onClick={leave}>
                      <b>
                        <Pieces of={titleOf(each.title ?? '', found.text)} />
                      </b>
                    </a>
                  </li>
                ))}
              </ul>
              {found.nextSessions !== null && <More what="More conversations" more={moreSessions} />}
            </section>
          )}
          {hasHits && (
            <section aria-label="Messages">
              <h2>Messages</h2>
              <ul className="hits">
                {found.hits.map(hit => (
                  <li key={`${hit.sessionId} ${hit.messageId}`}>
                    <a href={routeTo(chatRoute(hit.sessionId, hit.messageId, wordsOf(hit)))} onClick={leave}>
                      <b>{hit.title ?? `Conversation ${hit.sessionId.slice(0, 8)}`}</b>
                      <span>
                        <Pieces of={excerptOf(hit)} />
                      </span>
                    </a>
                  </li>
                ))}
              </ul>
              {found.nextHits !== null && <More what="More messages" more={moreHits} />}
            </section>
          )}
        </div>
      )}
      {found.text !== '' && isNothing && fault === null && <p className="hint">Nothing found.</p>}
    </dialog>
  );
}

function Pieces({ of }: { of: readonly Piece[] }): ReactNode {
  return of.map((piece, index) => (piece.match ? <mark key={index}>{piece.text}</mark> : piece.text));
}

function More({ what, more }: { what: string; more: () => void }): ReactNode {
  return (
    <button type="button" className="wide" onClick={more}>
      {what}
    </button>
  );
}

function count(list: readonly unknown[], next: string | null): string {
  return `${list.length}${next === null ? '' : ' or more'}`;
}

/** The words that were found, as they stand in the message. */
function wordsOf(hit: SearchHit): string | null {
  const words = new Set(hit.snippet.filter(piece => piece.match).map(piece => piece.text));
  return words.size === 0 ? null : [...words].join(' ');
}
