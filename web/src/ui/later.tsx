import { lazy, useState } from 'react';
import type { ComponentType, ReactNode } from 'react';

/**
 * A part of the app that is loaded once the page has nothing else to do, or when it is shown before that: so that it is there without a network. Where it cannot be
 * had, a remark stands in its place instead of taking the page down.
 */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const idle = window.requestIdleCallback ?? ((run: () => void) => setTimeout(run, IDLE_MILLIS)); // Safari has none
  let part: ComponentType<P> | undefined;
  const get = async () => (part ??= await load());
  idle(() => void get().catch(() => undefined)); // asked for again when it is shown
  const Awaited = lazy(() => get().then(loaded => ({ default: loaded }), () => ({ default: Missing as ComponentType<P> }))) as unknown as ComponentType<P>;
  return function Later(props: P) {
    const [Part] = useState(() => part ?? Awaited); // at once where it is there: what is typed next goes to it
    return <Part {...props} />;
  };
}

const IDLE_MILLIS = 1000;

function Missing(): ReactNode {
  return (
    <p className="missing notice" role="alert">
      This part of the page could not be loaded. Reload the page once there is a connection.
    </p>
  );
}
