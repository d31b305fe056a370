import { lazy } from 'react';
import type { ComponentType, ReactNode } from 'react';

/**
 * A part of the app that is loaded once the page has nothing else to do, or when it is shown before that: so that it is there without a network. Where it cannot be
 * had, a remark stands in its place instead of taking the page down.
 */
export function later<P>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const idle = window.requestIdleCallback ?? ((run: () => void) => setTimeout(run, IDLE_MILLIS)); // Safari has none
  let loading: Promise<ComponentType<P>> | undefined;
  const get = () =>
    (loading ??= load().catch(error => {
      loading = undefined; // asked for again when it is shown
      throw error;
    }));
  idle(() => void get().catch(() => undefined));
  return lazy(() => get().then(part => ({ default: part }), () => ({ default: Missing as ComponentType<P> })));
}

const IDLE_MILLIS = 1000;

function Missing(): ReactNode {
  return (
    <p className="missing notice" role="alert">
      This part of the page could not be loaded. Reload the page once there is a connection.
    </p>
  );
}
