// @vitest-environment happy-dom
import { StrictMode, act, createElement as h } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, test } from 'vitest';
import type { HoldfastClient } from '../src/client.js';
import { useHoldfast, useOutbox, useSession } from '../src/react/index.js';
import { scripted } from './support/script.js';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

function Page({ client, session }: { client: HoldfastClient; session: string | null }) {
  const state = useHoldfast(client);
  const outbox = useOutbox(client);
  const shown = useSession(client, session);
  const texts = shown.messages.map(message => message.parts.map(part => part['text']).join(''));
  return h('p', null, [state.status, shown.state?.status ?? 'none', texts.join('+'), outbox.length].join(' '));
}

test.each([false, true])('a page shows the connection, a session and the outbox (strict mode: %s)', async strict => {
  const scene = scripted();
  const element = document.createElement('div');
  const root = createRoot(element);
  const show = (session: string | null) => {
    const page = h(Page, { client: scene.client, session });
    return act(async () => root.render(strict ? h(StrictMode, null, page) : page));
  };
  await show('s');
  expect(element.textContent).toBe('disconnected waiting  0');
  await act(async () => void scene.client.send('s', 'Hello'));
  expect(element.textContent).toBe('disconnected waiting  1');
  const link = scene.links;
  await act(async () => scene.client.connect());
  await act(async () => link.at(-1)!.welcome('conn-1').reconnected().attached('s', 'c0').frame('s', 'c0', 'c1'));
  expect(element.textContent).toBe('connected attached c1 1');
  await act(async () => link.at(-1)!.frame('s', 'c1', 'c2'));
  expect(element.textContent).toBe('connected attached c1c2 1');
  await show(null);
  expect(element.textContent).toBe('connected none  1');
  expect(link.at(-1)!.of('unwatch')).toHaveLength(1);
  await act(async () => root.unmount());
});
