import type { HoldfastClient, SessionEvent } from '@holdfast/client';
import { useEffect, useRef, useState } from 'react';
import type { SessionsShown } from './use-sessions';

/** What the feed calls a title that was set. */
const TITLE = 'holdfast/title';

/** Whether a session may have another title since an event; one that has none gets one of its first message. */
export function mayChangeTitle(event: SessionEvent, title: string | null): boolean {
  switch (event.kind) {
    case 'property-changed':
      return event.name === TITLE;
    case 'turn-started':
    case 'turn-ended':
      return title === null;
    default:
      return false;
  }
}

/** The title of a session: of the list, and asked for at once where the list cannot have it yet, or does not go so far. */
export function useTitle(client: HoldfastClient, session: string | null, sessions: SessionsShown): string | null {
  const [told, setTold] = useState<{ session: string; title: string | null }>();
  const present = useRef(sessions);
  present.current = sessions;
  useEffect(() => {
    if (session === null) {
      return undefined;
    }
    const abort = new AbortController();
    let title: string | null = null;
    const ask = () => {
      client.sessions.get(session, { signal: abort.signal }).then(
        found => {
          title = found.title;
          setTold({ session, title });
          if (titleIn(present.current, session) !== title) {
            present.current.refresh();
          }
        },
        () => undefined, // as it was, until the server can be asked again
      );
    };
    const view = client.watch(session);
    view.subscribe(update => {
      if (update.type === 'attached' || (update.type === 'events' && update.events.some(event => mayChangeTitle(event, title)))) {
        ask();
      }
    });
    if (view.state.status === 'attached') {
      ask();
    }
    return () => {
      abort.abort();
      view.close();
    };
  }, [client, session]);
  const listed = titleIn(sessions, session) ?? null;
  return told !== undefined && told.session === session ? (told.title ?? listed) : listed;
}

/** Undefined where the list does not have it. */
function titleIn(sessions: SessionsShown, session: string | null): string | null | undefined {
  return sessions.list.find(each => each.id === session)?.title;
}
