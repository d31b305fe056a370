import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Chat } from './chat/Chat';
import { Nowhere } from './chat/Nowhere';
import { useClient } from './client';
import { ConnectionBadge } from './connection/ConnectionBadge';
import { KeyGate } from './connection/KeyGate';
import { ResumeLog } from './live/resume-log';
import { isGone } from './live/gone';
import { useConnection, useOutbox } from './live/use-connection';
import { follow, followConnection, ResumeContext } from './live/use-resumes';
import { useSession } from './live/use-session';
import { chatRoute, go, useRoute } from './route';
import { SessionList } from './sessions/SessionList';
import { SessionMenu } from './sessions/SessionMenu';
import { useSessions } from './sessions/use-sessions';
import { useTitle } from './sessions/use-title';
import { Icon } from './ui/Icon';
import { later } from './ui/later';
import { useShortcuts } from './ui/use-shortcuts';

const Console = later(() => import('./console/Console').then(module => module.Console));
const SearchDialog = later(() => import('./search/SearchDialog').then(module => module.SearchDialog));

export function App(): ReactNode {
  const client = useClient();
  const route = useRoute();
  const connection = useConnection(client);
  const sessions = useSessions(client);
  const [drawer, setDrawer] = useState(false);
  const [searching, setSearching] = useState(false);
  const [leaf, setLeaf] = useState<string | null>(null);
  const resumes = useMemo(() => new ResumeLog(), []);
  const chat = route.page === 'chat' ? route : null;
  const session = chat?.session ?? null;
  const live = useSession(client, session);
  const title = useTitle(client, session, sessions);
  const outbox = useOutbox(client);
  const gone = isGone(live.state, outbox) && isGone(live.view?.state, outbox); // what is drawn is a frame behind what is known
  const { refresh } = sessions;
  const isListed = sessions.list.some(each => each.id === session);
  const name = route.page === 'console' ? 'Console' : route.page === 'unknown' ? 'No such page' : session === null ? 'New conversation' : gone ? 'No such conversation' : (title ?? 'Conversation');

  useEffect(() => followConnection(client, resumes), [client, resumes]);
  useEffect(() => (session === null ? undefined : follow(client, resumes, session)), [client, session, resumes]);
  useEffect(() => setDrawer(false), [route.page, session]);
  useEffect(() => {
    document.title = `${name} · Holdfast`;
  }, [name]);
  const known = useRef(sessions.list);
  useEffect(() => {
    if (gone && isListed && known.current !== sessions.list) {
      live.view?.rewatch(); // another device began it since
    }
    known.current = sessions.list;
  }, [gone, isListed, sessions.list, live.view]);
  useEffect(() => {
    if (gone) {
      refresh();
    }
  }, [gone, refresh]);
  useShortcuts({
    search: () => setSearching(true),
    fresh: () => go({ page: 'new' }),
    step: by => {
      const place = sessions.list.findIndex(each => each.id === session);
      const next = sessions.list[place + by];
      if (next !== undefined) {
        go(chatRoute(next.id));
      }
    },
  });

  const needsKey = sessions.unauthorized || (connection.status === 'ended' && connection.reason === 'unauthorized');
  if (needsKey) {
    return <KeyGate accepted={sessions.refresh} />;
  }
  return (
    <ResumeContext value={resumes}>
      <a className="skip" href="#main" onClick={event => (event.preventDefault(), document.getElementById('main')?.focus())}>
        Skip to the conversation
      </a>
      <div className="shell" data-drawer={drawer || undefined}>
        <SessionList sessions={sessions} current={session} page={route.page} isDrawer={drawer} close={() => setDrawer(false)} search={() => setSearching(true)} />
        <div className="pane">
          <header className="top">
            <button type="button" className="quiet only-phone" aria-label="Conversations" aria-expanded={drawer} onClick={() => setDrawer(true)}>
              <Icon name="menu" />
            </button>
            <div className="top-title">
              <h1>{name}</h1>
            </div>
            {session !== null && !gone && live.state?.cursor != null && <SessionMenu session={session} title={title} leaf={leaf} sessions={sessions} />}
            <ConnectionBadge session={live.state} />
          </header>
          <main id="main" tabIndex={-1}>
            {route.page === 'console' ? (
              <Suspense fallback={<p className="hint center">Loading …</p>}>
                <Console />
              </Suspense>
            ) : route.page === 'unknown' ? (
              <Nowhere what="There is nothing at this address." why="It may have been copied in part." />
            ) : (
              <Chat session={session} live={live} gone={gone} target={chat?.message ?? null} find={chat?.find ?? null} branch={chat?.leaf ?? null} shows={setLeaf} />
            )}
          </main>
        </div>
      </div>
      {searching && (
        <Suspense fallback={null}>
          <SearchDialog close={() => setSearching(false)} />
        </Suspense>
      )}
    </ResumeContext>
  );
}
