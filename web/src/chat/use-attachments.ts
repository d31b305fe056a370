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
export const MAX_FILES = 10;

export interface Choosing {
  readonly chosen: readonly Chosen[];
  /** The names of those that the last choice had too many. */
  readonly leftOut: readonly string[];
  add(files: Iterable<File>): void;
  remove(id: number): void;
  clear(): void;
}

/** The files that go with the next message of each conversation; each is uploaded as soon as it is chosen. */
export function useAttachments(client: HoldfastClient, session: string | null, sessionFor: () => Promise<string>): Choosing {
  const [all, setAll] = useState<readonly Chosen[]>([]);
  const chosen = useMemo(() => all.filter(each => each.on === session), [all, session]);
  const [left, setLeft] = useState<{ readonly on: string | null; readonly names: readonly string[] }>();
  const ids = useRef(0);
  const aborts = useRef(new Map<number, AbortController>());
  const present = useRef(all);
  const set = useCallback((next: (before: readonly Chosen[]) => readonly Chosen[]) => setAll((present.current = next(present.current))), []);
  const change = useCallback((id: number, fields: Partial<Chosen>) => set(before => before.map(each => (each.id === id ? { ...each, ...fields } : each))), [set]);
  const add = useCallback(
    (files: Iterable<File>) => {
      const room = MAX_FILES - present.current.filter(each => each.on === session).length;
      const [taken, refused] = parted([...files], room);
      setLeft({ on: session, names: refused.map(nameOf) });
      for (const file of taken) {
        const id = ++ids.current;
        const abort = new AbortController();
        aborts.current.set(id, abort);
        const name = nameOf(file);
        const preview = SHOWN_IMAGES.has(file.type) ? { preview: URL.createObjectURL(file) } : {};
        set(before => [...before, { id, on: session, name, bytes: file.size, status: 'uploading', ...preview }]);
        sessionFor()
          .then(to => client.attachments.upload(to, file, { filename: name, signal: abort.signal }))
          .then(
            attachment => change(id, { status: 'ready', part: Attachments.part(attachment) }),
            error => change(id, { status: 'failed', fault: error instanceof HoldfastError ? error.message : String(error) }),
          )
          .finally(() => aborts.current.delete(id));
      }
    },
    [client, session, sessionFor, set, change],
  );
  useRevoked(all);
  const remove = useCallback(
    (id: number) => {
      aborts.current.get(id)?.abort();
      setLeft(undefined);
      set(before => before.filter(each => each.id !== id));
    },
    [set],
  );
  const clear = useCallback(() => {
    setLeft(undefined);
    set(before => before.filter(each => each.on !== session));
  }, [session, set]);
  return { chosen, leftOut: left !== undefined && left.on === session ? left.names : [], add, remove, clear };
}

/** As many as there is room for, and the others. */
export function parted<T>(files: readonly T[], room: number): [T[], T[]] {
  const count = Math.max(0, room);
  return [files.slice(0, count), files.slice(count)];
}

function nameOf(file: File): string {
  return file.name === '' ? 'pasted' : file.name;
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
