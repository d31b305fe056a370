import { HoldfastError } from '@holdfast/client';
import type { Figures } from '@holdfast/client';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { useClient } from '../client';
import { ResumeList } from '../connection/ResumeList';
import { useConnection } from '../live/use-connection';
import { useFollowed, useResumes } from '../live/use-resumes';
import { chatRoute, routeTo } from '../route';
import { Icon } from '../ui/Icon';
import { bytes, duration } from './numbers';
import { othersOf } from './own';
import { causeOf, whenOf } from './recoveries';
import { Table } from './Table';

const EVERY_MILLIS = 1500;
const LOADING = 'Loading …';

/** What the server is doing: its streams, turns and readers, and what it had to take up again. */
export function Console(): ReactNode {
  const client = useClient();
  const connection = useConnection(client);
  const resumes = useResumes();
  const { figures, fault } = useFigures();
  const followed = useFollowed(client, figures?.turns.map(turn => turn.sessionId) ?? []);
  return (
    <div className="console">
      {fault !== null && (
        <p className="notice fault" role="alert">
          {fault}
        </p>
      )}
      <section aria-label="This connection" className="card">
        <h2>This connection</h2>
        <p>
          {connection.status === 'connected' ? `Connected over ${connection.transport === 'websocket' ? 'a WebSocket' : 'server-sent events'}.` : 'Not connected at the moment.'}{' '}
          An answer that comes while you drop it goes on at the very next chunk.
        </p>
        <div className="row">
          <button type="button" className="primary" onClick={() => client.drop()} disabled={connection.status !== 'connected'}>
            <Icon name="unplug" /> Drop my connection
          </button>
        </div>
        <ResumeList resumes={resumes} />
      </section>
      <Server figures={figures} followed={connection.status === 'connected' ? followed : []} />
    </div>
  );
}

/** With the places of all that is to come, while nothing came yet. */
function Server({ figures, followed }: { figures: Figures | undefined; followed: readonly string[] }): ReactNode {
  const streams = (figures?.streams ?? []).map(stream => ({ ...stream, readers: othersOf(stream, followed) }));
  const lag = Math.max(0, ...streams.map(stream => stream.maxLagChunks));
  const shown = (value: (known: Figures) => string | number) => (figures === undefined ? '…' : String(value(figures)));
  const isLoading = figures === undefined;
  return (
    <>
      <dl className="numbers" aria-busy={isLoading}>
        <Number label="Live streams" value={shown(() => streams.length)} />
        <Number label="Turns" value={shown(known => known.turns.length)} />
        <Number label="Other readers" value={shown(() => streams.reduce((sum, stream) => sum + stream.readers, 0))} />
        <Number label="Largest lag" value={shown(() => `${lag} ${lag === 1 ? 'chunk' : 'chunks'}`)} />
        <Number label="Connections" value={shown(known => known.connections)} />
        <Number label="Store" value={shown(known => (known.store.bytes === null ? 'elsewhere' : bytes(known.store.bytes)))} />
        <Number label="Heap" value={shown(known => bytes(known.node.heapBytes))} />
        <Number label="Up" value={shown(known => duration(known.node.uptimeSeconds))} />
      </dl>
      <Table
        title="Live streams"
        empty={isLoading ? LOADING : 'No stream is being written.'}
        heads={['Conversation', 'Stream', 'Chunks', 'Other readers', 'Lag']}
        rows={streams.map(each => [<Conversation key="" of={each} />, each.name, each.chunks, each.readers, each.maxLagChunks])}
      />
      <Table
        title="Turns"
        empty={isLoading ? LOADING : 'No turn runs or waits.'}
        heads={['Conversation', 'Turn', 'State', 'Agent', 'Attempts']}
        rows={(figures?.turns ?? []).map(each => [<Conversation key="" of={each} />, each.id, each.state, each.agent, each.attempts])}
      />
      <Table
        title="Last recoveries"
        empty={isLoading ? LOADING : 'Nothing had to be taken up again lately. Kill the server in the middle of an answer and start it again.'}
        heads={['Conversation', 'Turn', 'Status', 'Last cause', 'Attempts', 'Last change']}
        rows={(figures?.recoveries ?? []).map(each => [
          <Conversation key="" of={each} />,
          each.turnId,
          each.status,
          causeOf(each),
          each.attempts,
          whenOf(each),
        ])}
      />
      {figures !== undefined && <p className="hint">Holdfast {figures.version}</p>}
    </>
  );
}

/** By its title, where it has one, and its id. */
function Conversation({ of }: { of: { readonly sessionId: string | null; readonly title: string | null } }): ReactNode {
  return of.sessionId === null ? (
    'of no turn that is listed'
  ) : (
    <a className="conversation" href={routeTo(chatRoute(of.sessionId))}>
      {of.title !== null && <b>{of.title}</b>} <span>{of.sessionId}</span>
    </a>
  );
}

function Number({ label, value }: { label: string; value: string }): ReactNode {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function useFigures(): { figures: Figures | undefined; fault: string | null } {
  const client = useClient();
  const [figures, setFigures] = useState<Figures>();
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      try {
        if (document.visibilityState === 'visible') {
          setFigures(await client.figures({ signal: abort.signal }));
          setFault(null);
        }
      } catch (error) {
        if (!abort.signal.aborted) {
          setFault(error instanceof HoldfastError ? error.message : String(error));
        }
      }
      if (!abort.signal.aborted) {
        timer = setTimeout(() => void look(), EVERY_MILLIS);
      }
    };
    void look();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [client]);
  return { figures, fault };
}
