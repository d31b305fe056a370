import type { ReactNode } from 'react';
import type { Resumed } from '../live/resume-log';

const TIME = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** What became of answers that were being read when the connection was lost. */
export function ResumeList({ resumes }: { resumes: readonly Resumed[] }): ReactNode {
  if (resumes.length === 0) {
    return <p className="hint">Nothing yet. Ask something long, drop the connection while the answer comes, and see it go on at the very next chunk.</p>;
  }
  return (
    <ol className="resumes">
      {resumes.map(each => (
        <li key={each.id} data-tone={each.missing === 0 ? 'good' : 'bad'}>
          <time>{TIME.format(each.at)}</time>{' '}
          {each.next === null
            ? `cut after chunk ${each.last}; the finished message came`
            : `cut after chunk ${each.last}, on at chunk ${each.next}: ${each.missing === 0 ? 'none missing' : `${each.missing} missing`}`}
        </li>
      ))}
    </ol>
  );
}
