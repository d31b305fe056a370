/** A hidden page has no frames; it is brought up to date this often instead. */
const HIDDEN_MILLIS = 500;

export interface Asked {
  ask(): void;
  cancel(): void;
}

/** Runs something with the next frame, once however often it is asked for. */
export function onNextFrame(run: () => void): Asked {
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cancel = () => {
    if (frame !== undefined) {
      cancelAnimationFrame(frame);
    }
    clearTimeout(timer);
    frame = timer = undefined;
  };
  const now = () => {
    cancel();
    run();
  };
  return {
    ask: () => {
      if (frame === undefined) {
        frame = requestAnimationFrame(now);
        timer = setTimeout(now, HIDDEN_MILLIS);
      }
    },
    cancel,
  };
}
