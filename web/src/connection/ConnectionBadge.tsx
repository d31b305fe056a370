import type { SessionState } from '@holdfast/client';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useClient } from '../client';
import { useConnection, useOnline, useOutbox } from '../live/use-connection';
import { useResumes } from '../live/use-resumes';
import { Icon } from '../ui/Icon';
import { ResumeList } from './ResumeList';
import { standing } from './standing';

const TICK_MILLIS = 250;

/** How the connection stands, always in sight; opened, what became of the last losses, and a button that makes one. */
export function ConnectionBadge({ session }: { session: SessionState | undefined }): ReactNode {
  const client = useClient();
  const connection = useConnection(client);
  const outbox = useOutbox(client);
  const resumes = useResumes();
  const online = useOnline();
  const since = useSince(connection);
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const { tone, label } = standing({ connection, session, outbox, online, sinceMillis: since });
  useEffect(() => {
    if (!open) {
      return undefined;
    }
    const close = (event: Event) => {
      const isOutside = event.type === 'pointerdown' && !box.current?.contains(event.target as Node);
      const isEscape = event instanceof KeyboardEvent && event.key === 'Escape';
      if (isOutside || isEscape) {
        setOpen(false);
      }
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('keydown', close);
    };
  }, [open]);
  return (
    <div className="badge-box" ref={box}>
      <button
        type="button"
        className="badge"
        data-tone={tone}
        aria-expanded={open}
        aria-controls="connection-panel"
        onClick={() => setOpen(!open)}>
        <span className="dot" aria-hidden="true" />
        <span className="badge-label">{label}</span>
      </button>
      {open && (
        <div className="popover" id="connection-panel" role="dialog" aria-label="Connection">
          <p>
            {!online
              ? 'The browser says that it has no network. What is here stays; the rest comes when the network is back.'
              : connection.status === 'connected'
              ? `Over ${connection.transport === 'websocket' ? 'a WebSocket' : 'server-sent events'}. Every chunk on this page was on the server's disk before it was shown.`
              : connection.status === 'waiting' || connection.status === 'ended'
                ? connection.detail
                : 'On its way.'}
          </p>
          <div className="row">
            <button type="button" onClick={() => client.drop()} disabled={connection.status !== 'connected'}>
              <Icon name="unplug" /> Drop my connection
            </button>
            {connection.status === 'waiting' && (
              <button type="button" onClick={() => client.hurry()}>
                Try now
              </button>
            )}
          </div>
          <h2>Resumed</h2>
          <ResumeList resumes={resumes.slice(0, 5)} />
        </div>
      )}
    </div>
  );
}

/** Milliseconds since a value changed; counts only while the connection waits. */
function useSince(connection: { status: string }): number {
  const [since, setSince] = useState(0);
  useEffect(() => {
    setSince(0);
    if (connection.status !== 'waiting') {
      return undefined;
    }
    const from = performance.now();
    const timer = setInterval(() => setSince(performance.now() - from), TICK_MILLIS);
    return () => clearInterval(timer);
  }, [connection]);
  return since;
}
