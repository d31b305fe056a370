import type { SessionState } from '@holdfast/client';
import type { ReactNode } from 'react';
import { Icon } from '../ui/Icon';

export interface NoticesProps {
  readonly state: SessionState | undefined;
  readonly fault: string | null;
  readonly onBranch: boolean;
  back(): void;
  dismiss(): void;
  rewatch(): void;
}

/** What stands above the composer, where there is something to say. */
export function ChatNotices({ state, fault, onBranch, back, dismiss, rewatch }: NoticesProps): ReactNode {
  return (
    <div className="notices">
      {onBranch && (
        <p className="notice">
          <Icon name="branch" /> Another branch. What you send goes on from here.
          <button type="button" onClick={back}>
            Back to the latest
          </button>
        </p>
      )}
      {state?.displaced === true && (
        <p className="notice">This conversation goes on in another tab or on another device. All of it is shown here, too; to go on from here, just write.</p>
      )}
      {state?.status === 'detached' && state.reason !== 'not-found' && (
        <p className="notice" role="alert">
          {state.reason === 'deleted' ? 'This conversation was deleted.' : (state.problem?.detail ?? 'This conversation cannot be followed.')}
          {state.reason !== 'deleted' && (
            <button type="button" onClick={rewatch}>
              Try again
            </button>
          )}
        </p>
      )}
      {state?.closed === true && <p className="notice">This conversation was ended.</p>}
      {fault !== null && (
        <p className="notice fault" role="alert">
          {fault}
          <button type="button" className="quiet" aria-label="Dismiss" onClick={dismiss}>
            <Icon name="close" />
          </button>
        </p>
      )}
    </div>
  );
}
