import { HoldfastError } from '@holdfast/client';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { apiKey, useClient } from '../client';

/** Asks for the API key of a server that wants one, and tries it before it goes on. */
export function KeyGate({ accepted }: { accepted: () => void }): ReactNode {
  const client = useClient();
  const [key, setKey] = useState('');
  const [trying, setTrying] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const attempt = async () => {
    apiKey.set(key.trim());
    setTrying(true);
    setFault(null);
    try {
      await client.sessions.list({ limit: 1 });
      client.disconnect();
      client.connect();
      accepted();
    } catch (error) {
      const isRefused = error instanceof HoldfastError && error.problem?.status === 401;
      setFault(isRefused ? 'The server does not know that key.' : error instanceof Error ? error.message : String(error));
    } finally {
      setTrying(false);
    }
  };
  return (
    <main className="gate">
      <form
        onSubmit={event => {
          event.preventDefault();
          void attempt();
        }}>
        <h1>
          <img src="./mark.svg" alt="" width="40" height="40" /> Holdfast
        </h1>
        <p>This server lets in who has one of its API keys. Yours stays in this tab and goes to this server only.</p>
        <label htmlFor="key">API key</label>
        <input id="key" type="password" autoComplete="off" autoFocus required value={key} onChange={event => setKey(event.target.value)} />
        {fault !== null && (
          <p role="alert" className="fault">
            {fault}
          </p>
        )}
        <button type="submit" className="primary" disabled={trying || key.trim() === ''}>
          Continue
        </button>
      </form>
    </main>
  );
}
