import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useOutbox } from '../live/use-connection';
import { useClient } from '../client';
import { chatRoute, routeTo } from '../route';
import type { Route } from '../route';
import { nextTheme, savedTheme, saveTheme } from '../theme';
import { Icon } from '../ui/Icon';
import { groupByDay } from './groups';
import type { SessionsShown } from './use-sessions';

export interface SessionListProps {
  readonly sessions: SessionsShown;
  readonly current: string | null;
  readonly page: Route['page'];
  /** Whether it lies over the page, as it does on phones. */
  readonly isDrawer: boolean;
  close(): void;
  search(): void;
}

const PHONE = '(max-width: 760px)';

export function SessionList({ sessions, current, page, isDrawer, close, search }: SessionListProps): ReactNode {
  const client = useClient();
  const outbox = useOutbox(client);
  const phone = usePhone();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isDrawer) {
      return undefined;
    }
    panel.current?.querySelector<HTMLElement>('a, button')?.focus();
    const pressed = (event: KeyboardEvent) => event.key === 'Escape' && close();
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, [isDrawer, close]);
  return (
    <>
      {isDrawer && <div className="veil" onClick={close} />}
      <nav className="side" ref={panel} aria-label="Conversations" inert={phone && !isDrawer} onClick={event => event.target instanceof Element && event.target.closest('a') !== null && close()}>
        <div className="side-head">
          <a className="mark" href={routeTo({ page: 'new' })}>
            <img src="./mark.svg" alt="" width="24" height="24" /> Holdfast
          </a>
          <ThemeButton />
        </div>
        <a className="wide primary" href={routeTo({ page: 'new' })} title="Alt+N">
          <Icon name="plus" /> New conversation
        </a>
        <button type="button" className="wide" onClick={search} title="Ctrl+K">
          <Icon name="search" /> Search
        </button>
        <div className="side-list">
          {groupByDay(sessions.list, new Date()).map(group => (
            <section key={group.label} aria-label={group.label}>
              <h2>{group.label}</h2>
              <ul>
                {group.sessions.map(each => (
                  <li key={each.id}>
                    <a href={routeTo(chatRoute(each.id))} aria-current={each.id === current ? 'page' : undefined}>
                      <span className="name">{each.title ?? `Conversation ${each.id.slice(0, 8)}`}</span>
                      {outbox.some(entry => entry.session === each.id) && <span className="unsent">unsent</span>}
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ))}
          {sessions.loaded && sessions.list.length === 0 && <p className="hint">No conversations yet.</p>}
          {sessions.hasMore && (
            <button type="button" className="wide" onClick={sessions.more}>
              Show more
            </button>
          )}
        </div>
        <a className="wide" href={routeTo({ page: 'console' })} aria-current={page === 'console' ? 'page' : undefined}>
          <Icon name="gauge" /> Console
        </a>
      </nav>
    </>
  );
}

function ThemeButton(): ReactNode {
  const [theme, setTheme] = useState(savedTheme);
  const change = () => {
    const next = nextTheme(theme);
    saveTheme(next);
    setTheme(next);
  };
  return (
    <button type="button" className="quiet" aria-label={`Colours: ${theme}`} title={`Colours: ${theme}`} onClick={change}>
      <Icon name={theme === 'system' ? 'system' : theme === 'dark' ? 'moon' : 'sun'} />
    </button>
  );
}

function usePhone(): boolean {
  const [phone, setPhone] = useState(() => window.matchMedia(PHONE).matches);
  useEffect(() => {
    const query = window.matchMedia(PHONE);
    const changed = () => setPhone(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, []);
  return phone;
}
