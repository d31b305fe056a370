import { HoldfastError } from '@holdfast/client';
import type { SearchHit } from '@holdfast/client';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useClient } from '../client';
import { chatRoute, routeTo } from '../route';
import { Icon } from '../ui/Icon';

const TYPING_MILLIS = 150;
const PAGE = 20;

interface Found {
  readonly text: string;
  readonly hits: readonly SearchHit[];
  readonly next: string | null;
}

const NOTHING: Found = { text: '', hits: [], next: null };

/** Looks through the messages of all conversations. */
export function SearchDialog({ close }: { close: () => void }): ReactNode {
  const client = useClient();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [found, setFound] = useState(NOTHING);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    const words = text.trim();
    if (words === '') {
      setFound(NOTHING);
      setFault(null);
      return undefined;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      client.search(words, { limit: PAGE, signal: abort.signal }).then(
        page => {
          setFault(null);
          setFound({ text: words, ...page });
        },
        error => {
          if (!abort.signal.aborted) {
            setFault(error instanceof HoldfastError ? error.message : String(error));
          }
        },
      );
    }, TYPING_MILLIS);
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [client, text]);
  const more = async (cursor: string) => {
    try {
      const page = await client.search(found.text, { limit: PAGE, cursor });
      setFound({ ...found, hits: [...found.hits, ...page.hits], next: page.next });
    } catch (error) {
      setFault(error instanceof HoldfastError ? error.message : String(error));
    }
  };
  return (
    <dialog ref={dialog} className="panel search" aria-label="Search" onClose={close} onClick={event => event.target === dialog.current && dialog.current.close()}>
      <div className="search-head">
        <Icon name="search" />
        <input type="search" autoFocus aria-label="Search messages" placeholder="Search messages" value={text} onChange={event => setText(event.target.value)} />
        <button type="button" className="quiet" aria-label="Close" onClick={() => dialog.current?.close()}>
          <Icon name="close" />
        </button>
      </div>
      <p className="unseen" role="status">
        {found.text === '' ? '' : `${found.hits.length}${found.next === null ? '' : ' or more'} found`}
      </p>
      {fault !== null && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
      <ul className="hits">
        {found.hits.map(hit => (
          <li key={`${hit.sessionId} ${hit.messageId}`}>
            <a href={routeTo(chatRoute(hit.sessionId, hit.messageId))} onClick={() => dialog.current?.close()}>
              <b>{hit.title ?? `Conversation ${hit.sessionId.slice(0, 8)}`}</b>
              <span>{hit.snippet.map((piece, index) => (piece.match ? <mark key={index}>{piece.text}</mark> : piece.text))}</span>
            </a>
          </li>
        ))}
      </ul>
      {found.text !== '' && found.hits.length === 0 && fault === null && <p className="hint">Nothing found.</p>}
      {found.next !== null && (
        <button type="button" className="wide" onClick={() => void more(found.next as string)}>
          Show more
        </button>
      )}
    </dialog>
  );
}
