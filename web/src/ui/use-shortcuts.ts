import { useEffect, useRef } from 'react';

export interface Shortcuts {
  search(): void;
  fresh(): void;
  /** To the conversation so many places below the present one. */
  step(by: 1 | -1): void;
}

/** Ctrl+K (or Cmd+K) searches, Alt+N begins a conversation, Alt with the arrows goes through them; not behind an open dialog. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const present = useRef(shortcuts);
  present.current = shortcuts;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const { search, fresh, step } = present.current;
      const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      const isAlt = event.altKey && !event.ctrlKey && !event.metaKey;
      const done =
        isCommand && event.key.toLowerCase() === 'k'
          ? search
          : isAlt && event.code === 'KeyN'
            ? fresh
            : isAlt && event.key === 'ArrowDown'
              ? () => step(1)
              : isAlt && event.key === 'ArrowUp'
                ? () => step(-1)
                : undefined;
      if (done !== undefined) {
        event.preventDefault();
        if (document.querySelector('dialog[open]') === null) {
          done();
        }
      }
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
}
