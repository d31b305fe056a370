import { Attachments, HoldfastError } from '@holdfast/client';
import type { FilePart, HoldfastClient } from '@holdfast/client';
import { useCallback, useRef, useState } from 'react';

export interface Chosen {
  readonly id: number;
  readonly name: string;
  readonly bytes: number;
  readonly status: 'uploading' | 'ready' | 'failed';
  readonly part?: FilePart;
  readonly fault?: string;
}

/** Files that one message may carry. */
const MAX_FILES = 10;

export interface Choosing {
  readonly chosen: readonly Chosen[];
  add(files: Iterable<File>): void;
  remove(id: number): void;
  clear(): void;
}

/** The files that go with the next message; each is uploaded as soon as it is chosen. */
export function useAttachments(client: HoldfastClient, sessionFor: () => Promise<string>): Choosing {
  const [chosen, setChosen] = useState<readonly Chosen[]>([]);
  const ids = useRef(0);
  const aborts = useRef(new Map<number, AbortController>());
  const change = (id: number, fields: Partial<Chosen>) =>
    setChosen(before => before.map(each => (each.id === id ? { ...each, ...fields } : each)));
  const add = useCallback(
    (files: Iterable<File>) => {
      for (const file of [...files].slice(0, MAX_FILES)) {
        const id = ++ids.current;
        const abort = new AbortController();
        aborts.current.set(id, abort);
        const name = file.name === '' ? 'pasted' : file.name;
        setChosen(before => [...before, { id, name, bytes: file.size, status: 'uploading' as const }].slice(-MAX_FILES));
        sessionFor()
          .then(session => client.attachments.upload(session, file, { filename: name, signal: abort.signal }))
          .then(
            attachment => change(id, { status: 'ready', part: Attachments.part(attachment) }),
            error => change(id, { status: 'failed', fault: error instanceof HoldfastError ? error.message : String(error) }),
          )
          .finally(() => aborts.current.delete(id));
      }
    },
    [client, sessionFor],
  );
  const remove = useCallback((id: number) => {
    aborts.current.get(id)?.abort();
    setChosen(before => before.filter(each => each.id !== id));
  }, []);
  const clear = useCallback(() => setChosen([]), []);
  return { chosen, add, remove, clear };
}
