import { isChunk } from '../fold.js';
import type { Chunk, PreviewMessage } from '../fold.js';
import type { Receipt, SessionEvent } from '../protocol.js';
import { content } from '../session-state.js';
import type { Outcome, SessionState, SessionUpdate, TurnView } from '../session-state.js';
import type { SessionView } from '../session-view.js';
import { ChunkView } from './chunk-view.js';
import type { View } from './chunk-view.js';
import type { Major } from './gate.js';
import { partChunks } from './message-chunks.js';

/** Where the chunks of a turn go. */
export interface Sink {
  chunk(chunk: Chunk): void;
  /** The answer is complete, or waits for someone. */
  done(): void;
  /** The page cannot follow: it is to read the turn anew. */
  cut(): void;
}

const INTERRUPTED = 'The answer was interrupted. What came until then is kept.';

/**
 * One turn, told to one page as the chunks of one message: whatever connections break in between, and also if the turn ends while the page is away. It ends once the
 * turn has its outcome and the message is stored, or where the turn waits for someone.
 */
export class TurnStream {
  #view: ChunkView | undefined;
  #messageId: string | undefined;
  /** Whether chunks of the turn's stream came since it was opened. */
  #flowing = false;
  /** Whether chunks were skipped: what is missing is worked out from the message. */
  #compares = false;
  #ended = false;
  readonly #unsubscribe: () => void;

  /**
   * @param turn the turn's id
   * @param goesOn whether the page has the turn's message as it was when the turn waited
   */
  constructor(
    private readonly session: SessionView,
    private readonly turn: string,
    private readonly major: Major,
    private readonly goesOn: boolean,
    private readonly sink: Sink,
  ) {
    this.#unsubscribe = session.subscribe(update => this.#update(update));
  }

  /** Nothing is told any more. */
  close(): void {
    this.#ended = true;
    this.#unsubscribe();
  }

  /** The turn was there before this stream: tells what it has. */
  begin(turn: TurnView): void {
    if (this.#view !== undefined || this.#ended || turn.messageId === null) {
      return;
    }
    this.#messageId = turn.messageId;
    if (turn.state === 'awaiting') {
      this.#rests(turn.messageId);
      return;
    }
    const stored = this.session.message(turn.messageId);
    if (stored !== undefined && !this.goesOn) {
      this.#tellMessage(content(stored));
    }
    turn.chunks.forEach(chunk => this.#chunk(chunk));
  }

  /** The turn waits for someone. */
  rests(messageId: string): void {
    this.#messageId = messageId;
    this.#rests(messageId);
  }

  /** The server has accepted the turn; it may have ended already. */
  receipt(receipt: Receipt): void {
    if (this.#ended) {
      return;
    }
    this.#messageId = receipt.messageId;
    const live = this.session.state.turns.find(each => each.id === this.turn);
    if (live !== undefined) {
      this.begin(live);
    } else if (!['accepted', 'streaming', 'awaiting'].includes(receipt.state)) {
      this.#end(this.#outcomeOf(receipt.messageId));
    }
  }

  #rests(messageId: string): void {
    const stored = this.session.message(messageId);
    if (stored !== undefined && !this.goesOn) {
      this.#tellMessage(content(stored));
    }
    this.#end(null);
  }

  #update(update: SessionUpdate): void {
    if (update.type === 'attached' && update.answer.answer === 'snapshot') {
      this.#snapshot(update.state);
    } else if (update.type === 'events') {
      for (const event of update.events) {
        if (!this.#ended && 'turn' in event && event.turn === this.turn) {
          this.#event(event);
        }
      }
      this.#compare(update.state);
    }
  }

  /** What was in between is not told: the turn begins from its start, or has ended. */
  #snapshot(state: SessionState): void {
    const live = state.turns.find(each => each.id === this.turn);
    if (live === undefined) {
      if (this.#messageId !== undefined) {
        this.#end(this.#outcomeOf(this.#messageId)); // ended while the page was away
      }
      return;
    }
    this.#messageId = live.messageId ?? this.#messageId;
    if (live.state === 'awaiting' && live.messageId !== null) {
      this.#end(null);
    } else if (this.#view !== undefined) {
      this.#compares = true;
    }
  }

  #event(event: SessionEvent): void {
    switch (event.kind) {
      case 'stream-opened':
        this.#messageId = event.messageId;
        if (this.#flowing && !this.#compares) {
          this.#tell(this.#require().restart());
        }
        this.#flowing = false;
        break;
      case 'chunk':
        if (isChunk(event.data) && !this.#compares) {
          this.#chunk(event.data);
        }
        break;
      case 'turn-awaiting':
        this.#end(null);
        break;
      case 'turn-ended':
        this.#messageId = event.messageId ?? this.#messageId;
        this.#end({ turn: event.turn, outcome: event.outcome, messageId: event.messageId ?? null, reason: event.reason ?? null });
        break;
    }
  }

  #require(): ChunkView {
    if (this.#view === undefined) {
      const id = this.#messageId ?? this.turn;
      const stored = this.session.message(id);
      this.#view = new ChunkView(this.major, id, this.goesOn && stored !== undefined ? content(stored) : undefined);
    }
    return this.#view;
  }

  #chunk(chunk: Chunk): void {
    const view = this.#require();
    this.#flowing = true;
    this.#tell(view.add(chunk));
  }

  #tell(told: View): void {
    if (this.#ended) {
      return;
    }
    if (told === 'cut') {
      this.close();
      this.sink.cut();
    } else {
      told.forEach(chunk => this.sink.chunk(chunk));
    }
  }

  #tellMessage(message: PreviewMessage): void {
    const view = this.#require();
    const { metadata } = message;
    const start: Chunk = { type: 'start', messageId: message.id, ...(metadata === undefined ? {} : { messageMetadata: metadata }) };
    const parts = message.parts.flatMap((part, i) => {
      const chunks = partChunks(part, `part-${i}`);
      return part.type === 'step-start' && i > 0 ? [{ type: 'finish-step' }, ...chunks] : chunks;
    });
    [start, ...parts].forEach(chunk => this.#tell(view.add(chunk)));
  }

  /** After frames that were skipped: tells what the message in progress has more. */
  #compare(state: SessionState): void {
    const preview = state.turns.find(each => each.id === this.turn)?.message;
    if (!this.#compares || this.#ended || preview === null || preview === undefined) {
      return;
    }
    const missing = this.#require().catchUp(preview, false);
    if (missing === 'different') {
      this.#compares = false;
      const restarted = this.#require().restart();
      this.#tell(restarted);
      if (restarted !== 'cut') {
        this.session.state.turns.find(each => each.id === this.turn)?.chunks.forEach(chunk => this.#chunk(chunk));
      }
    } else if (missing !== 'behind') {
      this.#tell(missing);
    }
  }

  /** What the stored message says of an end that was not seen. */
  #outcomeOf(messageId: string): Outcome {
    const seen = this.session.state.outcome;
    if (seen?.turn === this.turn) {
      return seen;
    }
    const stored = this.session.message(messageId);
    const metadata = (stored && content(stored).metadata) as { holdfast?: { status?: unknown; reason?: unknown } } | undefined;
    const { status, reason } = metadata?.holdfast ?? {};
    const known = ['completed', 'stopped', 'failed', 'interrupted'].find(each => each === status) as Outcome['outcome'] | undefined;
    const outcome = known ?? (stored === undefined ? 'stopped' : 'completed');
    return { turn: this.turn, outcome, messageId, reason: typeof reason === 'string' ? reason : null };
  }

  /** @param outcome null where the turn waits for someone */
  #end(outcome: Outcome | null): void {
    if (this.#ended) {
      return;
    }
    const stored = this.#messageId === undefined ? undefined : this.session.message(this.#messageId);
    const view = this.#require();
    if (stored !== undefined) {
      const message = content(stored);
      const missing = view.catchUp(message, true);
      if (typeof missing !== 'string') {
        this.#tell(missing);
      } else if (!this.#retell(message)) {
        return;
      }
      if (message.metadata !== undefined) {
        this.#tell(view.say({ type: 'message-metadata', messageMetadata: message.metadata }));
      }
    }
    this.#tell(view.say(lastChunk(outcome, view.end)));
    this.close();
    this.sink.done();
  }

  /** What the page has is not a beginning of the message. Returns whether it could be told. */
  #retell(message: PreviewMessage): boolean {
    const restarted = this.#require().restart();
    this.#tell(restarted);
    if (restarted !== 'cut') {
      message.parts.forEach((part, i) =>
        partChunks(part, `again-${i}`).forEach(chunk => this.#tell(this.#require().add(chunk))),
      );
    }
    return restarted !== 'cut';
  }
}

function lastChunk(outcome: Outcome | null, said: Chunk | undefined): Chunk {
  switch (outcome?.outcome) {
    case undefined:
      return { type: 'finish', finishReason: 'tool-calls' };
    case 'completed':
      return said !== undefined && said.type !== 'abort' ? said : { type: 'finish', finishReason: 'stop' };
    case 'stopped':
      return { type: 'abort', ...(outcome?.reason ? { reason: outcome.reason } : {}) };
    case 'failed':
      return said?.type === 'error' ? said : { type: 'error', errorText: outcome?.reason || 'The agent failed.' };
    case 'interrupted':
      return { type: 'error', errorText: outcome?.reason || INTERRUPTED };
  }
}
