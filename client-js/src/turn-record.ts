import { Fold, isChunk } from './fold.js';
import type { Chunk, PreviewMessage } from './fold.js';
import type { TurnView } from './session-state.js';

const DELTAS: Record<string, { id: string; text: string }> = {
  'text-delta': { id: 'id', text: 'delta' },
  'reasoning-delta': { id: 'id', text: 'delta' },
  'tool-input-delta': { id: 'toolCallId', text: 'inputTextDelta' },
};

/** A turn with its message in the making. Never changed: a frame makes a {@link TurnDraft} of it. */
export class TurnRecord {
  constructor(
    readonly view: TurnView,
    readonly fold: Fold | null,
  ) {}

  static begin(id: string, state: TurnView['state'], messageId: string | null): TurnRecord {
    const none = { pending: [], stopping: false, recovering: false, message: null, chunks: [] };
    return new TurnRecord({ id, state, messageId, ...none }, null);
  }

  with(fields: Partial<TurnView>): TurnRecord {
    return new TurnRecord({ ...this.view, ...fields }, this.fold);
  }

  /** Its stream begins, or begins anew: what was written before it is gone on with. */
  opened(messageId: string, before: PreviewMessage | undefined): TurnRecord {
    const view: TurnView = { ...this.view, state: 'streaming', messageId, pending: [], recovering: false, message: null, chunks: [] };
    return new TurnRecord(view, Fold.begin(messageId, before));
  }

  /** With more chunks. What is none is passed over. */
  chunked(data: readonly unknown[]): TurnRecord {
    const fold = (this.fold ?? Fold.begin(this.view.messageId ?? this.view.id)).copy();
    const chunks = [...this.view.chunks];
    for (const each of data) {
      if (isChunk(each)) {
        fold.apply(each);
        keep(chunks, each);
      }
    }
    return new TurnRecord({ ...this.view, state: 'streaming', recovering: false, chunks, message: fold.message() }, fold);
  }

  /** Its message is stored and takes the place of the one in progress. */
  stored(): TurnRecord {
    return new TurnRecord({ ...this.view, message: null, chunks: [] }, null);
  }
}

function keep(chunks: Chunk[], chunk: Chunk): void {
  const last = chunks.at(-1);
  const delta = DELTAS[chunk.type];
  const continues =
    delta !== undefined && last !== undefined && last.type === chunk.type && last[delta.id] === chunk[delta.id];
  if (continues) {
    chunks[chunks.length - 1] = { ...last, ...chunk, [delta.text]: String(last[delta.text]) + String(chunk[delta.text]) };
  } else {
    chunks.push(chunk);
  }
}
