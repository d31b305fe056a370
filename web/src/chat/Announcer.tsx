import type { Outcome } from '@holdfast/client';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';

/** What goes on in a conversation, as far as it is told. */
export interface Doing {
  readonly writing: boolean;
  /** An answer waits for the reader. */
  readonly waits: boolean;
  readonly outcome: Outcome['outcome'] | undefined;
}

/** Tells who listens instead of looking what goes on; not each word of it. */
export function Announcer({ writing, waits, outcome }: Doing): ReactNode {
  const [said, setSaid] = useState('');
  const was = useRef<Doing>({ writing: false, waits: false, outcome: undefined });
  useEffect(() => {
    const now = { writing, waits, outcome };
    const words = saying(was.current, now);
    was.current = now;
    if (words !== null) {
      setSaid(words);
    }
  }, [writing, waits, outcome]);
  return (
    <p className="unseen" role="status">
      {said}
    </p>
  );
}

/** The words for a change; null where nothing is to be told. */
export function saying(before: Doing, now: Doing): string | null {
  if (now.writing) {
    return before.writing ? null : 'The answer is being written.';
  }
  if (now.waits) {
    return before.waits ? null : 'The answer waits for you.';
  }
  return before.writing || before.waits ? ending(now.outcome) : null;
}

function ending(outcome: Outcome['outcome'] | undefined): string {
  switch (outcome) {
    case 'stopped':
      return 'The answer was stopped.';
    case 'failed':
    case 'interrupted':
      return 'The answer failed.';
    default:
      return 'The answer is complete.';
  }
}
