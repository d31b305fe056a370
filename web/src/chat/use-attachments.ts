import { Attachments, HoldfastError } from '@holdfast/client';
import type { FilePart, HoldfastClient } from '@holdfast/client';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { SHOWN_IMAGES } from './FileView';

export interface Chosen {
  readonly id: number;
  /** The conversation in whose message box it lies; null for one that is not begun. */
  readonly on: string | null;
  readonly name: string;
  readonly bytes: number;
  /** An image, as the browser has it. */
  readonly preview?: string;
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

/** The files that go with the next message of each conversation; each is uploaded as soon as it is chosen. */
export function useAttachments(client: HoldfastClient, session: string | null, sessionFor: () => Promise<string>): Choosing {
  const [all, setAll] = useState<readonly Chosen[]>([]);
  const chosen = useMemo(() => all.filter(each => each.on === session), [all, session]);
  const ids = useRef(0);
  const aborts = useRef(new Map<number, AbortController>());
  const change = (id: number, fields: Partial<Chosen>) =>
    setAll(before => before.map(each => (each.id === id ? { ...each, ...fields } : each)));
  const add = useCallback(
    (files: Iterable<File>) => {
      for (const file of [...files].slice(0, MAX_FILES)) {
        const id = ++ids.current;
        const abort = new AbortController();
        aborts.current.set(id, abort);
        const name = file.name === '' ? 'pasted' : file.name;
        const preview = SHOWN_IMAGES.has(file.type) ? { preview: URL.createObjectURL(file) } : {};
        setAll(before => {
          const others = before.filter(each => each.on !== session);
          const here = before.filter(each => each.on === session);
          return [...others, ...[...here, { id, on: session, name, bytes: file.size, status: 'uploading' as const, ...preview }].slice(-MAX_FILES)];
        });
        sessionFor()
          .then(to => client.attachments.upload(to, file, { filename: name, signal: abort.signal }))
          .then(
            attachment => change(id, { status: 'ready', part: Attachments.part(attachment) }),
            error => change(id, { status: 'failed', fault: error instanceof HoldfastError ? error.message : String(error) }),
          )
          .finally(() => aborts.current.delete(id));
      }
    },
    [client, session, sessionFor],
  );
  useRevoked(all);
  const remove = useCallback((id: number) => {
    aborts.current.get(id)?.abort();
    setAll(before => before.filter(each => each.id !== id));
  }, []);
  const clear = useCallback(() => setAll(before => before.filter(each => each.on !== session)), [session]);
  return { chosen, add, remove, clear };
}

/** Gives up the previews that are not shown any more. */
function useRevoked(chosen: readonly Chosen[]): void {
  const shown = useRef<readonly string[]>([]);
  useEffect(() => {
    const now = chosen.flatMap(each => each.preview ?? []);
    shown.current.filter(url => !now.includes(url)).forEach(url => URL.revokeObjectURL(url));
    shown.current = now;
  }, [chosen]);
  useEffect(() => () => shown.current.forEach(url => URL.revokeObjectURL(url)), []);
}
