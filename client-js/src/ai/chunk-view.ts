import { Fold } from '../fold.js';
import type { Chunk, PreviewMessage } from '../fold.js';
import { catchUp } from './catch-up.js';
import type { CatchUp } from './catch-up.js';
import { ChunkGate } from './gate.js';
import type { Major } from './gate.js';

/** The client cannot follow: what it has been shown does not count, and it cannot be told. */
export type View = Chunk[] | 'cut';

/**
 * What one page is told of a turn. It begins with one `start` that has the id of the message; chunks that end the message are held back until the turn has its outcome; the
 * rest goes through the gate of the page's major.
 */
export class ChunkView {
  readonly #gate: ChunkGate;
  readonly #fold: Fold;
  #started = false;
  #steps = 0;
  #finishedStep = false;
  /** Whether another attempt follows, whose beginning the page has. */
  #again = false;
  #end: Chunk | undefined;

  /** @param before the message as the page has it, which the turn goes on with */
  constructor(
    private readonly major: Major,
    private readonly messageId: string,
    private readonly before?: PreviewMessage,
  ) {
    this.#gate = new ChunkGate(major, before);
    this.#fold = Fold.begin(messageId, before);
  }

  /** The chunk with which the agent ended the message, if it did. */
  get end(): Chunk | undefined {
    return this.#end;
  }

  /** The next chunk of the turn. */
  add(chunk: Chunk): View {
    switch (chunk.type) {
      case 'start':
        return this.#begin(chunk);
      case 'finish':
      case 'abort':
      case 'error':
        this.#end = chunk;
        return [];
      case 'reset-step':
        return this.major < 7 ? 'cut' : this.#tell(chunk);
      case 'start-step':
        if (this.#again) {
          this.#again = false;
          return [];
        }
        this.#steps++;
        return this.#tell(chunk);
      case 'finish-step':
        this.#finishedStep = true;
        return this.#tell(chunk);
      default:
        return this.#tell(chunk);
    }
  }

  #begin(start: Chunk): Chunk[] {
    if (!this.#started) {
      this.#started = true;
      return this.#said({ ...start, messageId: this.messageId });
    }
    const { messageMetadata } = start;
    return messageMetadata === undefined ? [] : this.#said({ type: 'message-metadata', messageMetadata });
  }

  #tell(chunk: Chunk): Chunk[] {
    if (this.#started) {
      return this.#said(chunk);
    }
    this.#started = true;
    return [...this.#said({ type: 'start', messageId: this.messageId }), ...this.#said(chunk)];
  }

  #said(chunk: Chunk): Chunk[] {
    this.#fold.apply(chunk);
    return this.#gate.admit(chunk);
  }

  /** A chunk of the transport's own, which may end the message. */
  say(chunk: Chunk): Chunk[] {
    return this.#tell(chunk);
  }

  /** Tells what is missing of the message. */
  catchUp(message: PreviewMessage, isFinal: boolean): Exclude<CatchUp, Chunk[]> | Chunk[] {
    const missing = catchUp(this.#fold, message, isFinal);
    return typeof missing === 'string' ? missing : missing.flatMap(chunk => this.#counted(chunk));
  }

  #counted(chunk: Chunk): Chunk[] {
    this.#steps += chunk.type === 'start-step' ? 1 : 0;
    this.#finishedStep ||= chunk.type === 'finish-step';
    return this.#tell(chunk);
  }

  /** The turn begins anew. Clients of 7 drop the step in progress, which is all they have if it is their first. */
  restart(): View {
    if (!this.#started) {
      return [];
    }
    if (this.major < 7 || this.before !== undefined || this.#steps !== 1 || this.#finishedStep) {
      return 'cut';
    }
    this.#again = true;
    this.#end = undefined;
    return this.#said({ type: 'reset-step' });
  }
}
