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
import { Table } from './Table';

const EVERY_MILLIS = 1500;

/** What the server is doing: its streams, turns and readers, and what it had to take up again. */
export function Console(): ReactNode {
  const client = useClient();
  const connection = useConnection(client);
  const resumes = useResumes();
  const { figures, fault } = useFigures();
  useFollowed(client, figures?.turns.map(turn => turn.sessionId) ?? []);
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
      {figures !== undefined && <Server figures={figures} />}
    </div>
  );
}

function Server({ figures }: { figures: Figures }): ReactNode {
  const readers = figures.streams.reduce((sum, stream) => sum + stream.readers, 0);
  const lag = Math.max(0, ...figures.streams.map(stream => stream.maxLagChunks));
  return (
    <>
      <dl className="numbers">
        <Number label="Live streams" value={String(figures.streams.length)} />
        <Number label="Turns" value={String(figures.turns.length)} />
        <Number label="Readers" value={String(readers)} />
        <Number label="Largest lag" value={`${lag} ${lag === 1 ? 'chunk' : 'chunks'}`} />
        <Number label="Connections" value={String(figures.connections)} />
        <Number label="Store" value={figures.store.bytes === null ? 'elsewhere' : bytes(figures.store.bytes)} />
        <Number label="Heap" value={bytes(figures.node.heapBytes)} />
        <Number label="Up" value={duration(figures.node.uptimeSeconds)} />
      </dl>
      <Table
        title="Live streams"
        empty="No stream is being written."
        heads={['Stream', 'Chunks', 'Readers', 'Lag']}
        rows={figures.streams.map(each => [each.name, each.chunks, each.readers, each.maxLagChunks])}
      />
      <Table
        title="Turns"
        empty="No turn runs or waits."
        heads={['Conversation', 'Turn', 'State', 'Agent', 'Attempts']}
        rows={figures.turns.map(each => [
          <a key="" href={routeTo(chatRoute(each.sessionId))}>
            {each.sessionId}
          </a>,
          each.id,
          each.state,
          each.agent,
          each.attempts,
        ])}
      />
      <Table
        title="Last recoveries"
        empty="Nothing had to be taken up again lately. Kill the server in the middle of an answer and start it again."
        heads={['Conversation', 'Turn', 'Status', 'Cause', 'Attempts', 'When']}
        rows={figures.recoveries.map(each => [
          <a key="" href={routeTo(chatRoute(each.sessionId))}>
            {each.sessionId}
          </a>,
          each.turnId,
          each.status,
          each.cause ?? '',
          each.attempts,
          new Date(each.updatedAt).toLocaleTimeString(),
        ])}
      />
      <p className="hint">Holdfast {figures.version}</p>
    </>
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
