import type { ConnectionState, OutboxEntry, SessionState } from '@holdfast/client';

/** How the page stands, in words. */
export interface Standing {
  readonly tone: 'good' | 'busy' | 'bad';
  readonly label: string;
}

/** What is known at a moment. */
export interface Known {
  readonly connection: ConnectionState;
  /** The session that is shown, if any. */
  readonly session: SessionState | undefined;
  readonly outbox: readonly OutboxEntry[];
  readonly online: boolean;
  /** How long ago the connection took its present state. */
  readonly sinceMillis: number;
}

/** Tells the truth about the connection: nothing is called connected before it is. */
export function standing(known: Known): Standing {
  const { connection, session } = known;
  const kept = known.outbox.filter(entry => entry.status !== 'failed').length;
  const keeps = kept === 0 ? '' : `, ${kept} kept here`;
  if (!known.online && connection.status !== 'ended') {
    return { tone: 'bad', label: `Offline${keeps}` }; // a connection that was open then only does not know it yet
  }
  switch (connection.status) {
    case 'connected':
      if (session?.status === 'waiting') {
        return { tone: 'busy', label: 'Replaying' };
      }
      return kept === 0 ? { tone: 'good', label: 'Connected' } : { tone: 'busy', label: `Sending ${kept}` };
    case 'connecting':
      return { tone: 'busy', label: session?.cursor == null ? `Connecting${keeps}` : `Catching up${keeps}` };
    case 'waiting': {
      if (connection.pauseMillis === undefined) {
        return { tone: 'bad', label: `Reconnecting${keeps}` };
      }
      const seconds = Math.max(0, Math.ceil((connection.pauseMillis - known.sinceMillis) / 1000));
      return { tone: 'bad', label: `Reconnecting in ${seconds} s${keeps}` };
    }
    case 'ended':
      return { tone: 'bad', label: connection.reason === 'unauthorized' ? 'Key needed' : `Ended${keeps}` };
    case 'disconnected':
      return { tone: 'bad', label: `Not connected${keeps}` };
  }
}
