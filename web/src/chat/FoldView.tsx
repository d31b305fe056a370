import type { Overlay } from '@holdfast/client';
import type { ReactNode } from 'react';

/** Tells that the model reads a summary of what is above, and what it says. */
export function FoldView({ overlay, unfold }: { overlay: Overlay; unfold(overlay: Overlay): void }): ReactNode {
  return (
    <aside className="fold" aria-label="Summary for the model">
      <details>
        <summary>The model reads a summary of the messages above</summary>
        <p className="fold-text">{overlay.summary}</p>
        <button type="button" onClick={() => unfold(overlay)}>
          Let it read the messages
        </button>
      </details>
    </aside>
  );
}
