import type { ReactNode } from 'react';
import { routeTo } from '../route';
import { Icon } from '../ui/Icon';

/** In the place of a conversation that is not there. */
export function Gone(): ReactNode {
  return (
    <div className="welcome">
      <h1>This conversation isn't here.</h1>
      <p>It was deleted, or there never was one at this address. A message that is sent from here begins a new one at it.</p>
      <p>
        <a className="wide primary fit" href={routeTo({ page: 'new' })}>
          <Icon name="plus" /> New conversation
        </a>
      </p>
    </div>
  );
}
