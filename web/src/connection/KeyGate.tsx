import { useState } from 'react';
import type { ReactNode } from 'react';
import { apiKey, useClient } from '../client';

/** Asks for the API key of a server that wants one. */
export function KeyGate({ refused }: { refused: boolean }): ReactNode {
  const client = useClient();
  const [key, setKey] = useState('');
  return (
    <main className="gate">
      <form
        onSubmit={event => {
          event.preventDefault();
          apiKey.set(key.trim());
          client.disconnect();
          client.connect();
        }}>
        <h1>Holdfast</h1>
        <p>This server lets in who has one of its API keys. Yours stays in this tab and goes to this server only.</p>
        <label htmlFor="key">API key</label>
        <input id="key" type="password" autoComplete="off" autoFocus required value={key} onChange={event => setKey(event.target.value)} />
        {refused && (
          <p role="alert" className="fault">
            The server does not know that key.
          </p>
        )}
        <button type="submit" className="primary" disabled={key.trim() === ''}>
          Continue
        </button>
      </form>
    </main>
  );
}
