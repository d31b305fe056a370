import type { RefObject } from 'react';
import { useEffect } from 'react';
import { placesOf } from './find';

/** What is found is drawn, and measured, within so many frames, or it is left where it is. */
const MAX_FRAMES = 60;
/** Frames without a move after which it is in its place. */
const STILL_FRAMES = 5;
/** As long as its mark fades: `fade` in message.css. */
const MARKED_MILLIS = 5000;
const MARK = 'found';

/**
 * Brings the words that were looked for into sight, once their message is in the page, and marks them for some seconds. The message itself may be longer than the
 * page, and the list learns only now how high those around it are.
 */
export function useFound(scroller: RefObject<HTMLElement | null>, message: string | null, find: string | null, isHere: boolean): void {
  useEffect(() => {
    if (message === null || !isHere) {
      return undefined;
    }
    let frame = 0;
    let still = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unmark = () => void CSS.highlights?.delete(MARK);
    const look = (left: number) => {
      const outer = scroller.current;
      const body = outer?.querySelector(`[data-message=${CSS.escape(message)}] .body`);
      if (outer && body) {
        const places = placesOf(body, find ?? '');
        if (places.length > 0 && CSS.highlights !== undefined) {
          CSS.highlights.set(MARK, new Highlight(...places));
          timer ??= setTimeout(unmark, MARKED_MILLIS);
        }
        const { top, height } = (places[0] ?? body).getBoundingClientRect();
        const by = top + Math.min(height, outer.clientHeight / 2) / 2 - outer.getBoundingClientRect().top - outer.clientHeight / 2;
        const before = outer.scrollTop;
        outer.scrollTop += by;
        still = Math.abs(outer.scrollTop - before) < 1 ? still + 1 : 0;
      }
      if (left > 0 && still < STILL_FRAMES) {
        frame = requestAnimationFrame(() => look(left - 1));
      }
    };
    frame = requestAnimationFrame(() => look(MAX_FRAMES));
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      unmark();
    };
  }, [scroller, message, find, isHere]);
}
