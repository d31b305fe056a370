import type { ReactNode } from 'react';
import { routeTo } from '../route';
import { Icon } from '../ui/Icon';

/** In the place of what is not there. */
export function Nowhere({ what, why }: { what: string; why: string }): ReactNode {
  return (
    <div className="welcome">
      <h1>{what}</h1>
      <p>{why}</p>
      <p>
        <a className="wide primary fit" href={routeTo({ page: 'new' })}>
          <Icon name="plus" /> New conversation
        </a>
      </p>
    </div>
  );
}
