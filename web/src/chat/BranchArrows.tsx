import type { Parting } from '@holdfast/client';
import type { ReactNode } from 'react';
import { Icon } from '../ui/Icon';

/** Leads from a message to those beside it. */
export function BranchArrows({ message, parting, show }: { message: string; parting: Parting; show: (leaf: string) => void }): ReactNode {
  const place = parting.messages.findIndex(branch => branch.id === message);
  const before = parting.messages[place - 1];
  const after = parting.messages[place + 1];
  return (
    <span className="branches" role="group" aria-label={`Version ${place + 1} of ${parting.messages.length}`}>
      <button type="button" className="quiet" aria-label="Version before" disabled={before === undefined} onClick={() => before && show(before.leafId)}>
        <Icon name="left" />
      </button>
      <span aria-hidden="true">
        {place + 1}/{parting.messages.length}
      </span>
      <button type="button" className="quiet" aria-label="Next version" disabled={after === undefined} onClick={() => after && show(after.leafId)}>
        <Icon name="right" />
      </button>
    </span>
  );
}
