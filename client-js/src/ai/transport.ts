import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai';
import type { HoldfastClient } from '../client.js';
import { HoldfastError } from '../errors.js';
import type { Chunk } from '../fold.js';
import type { Turn } from '../protocol.js';
import { content } from '../session-state.js';
import type { SessionView } from '../session-view.js';
import { Chats } from './chats.js';
import type { Major } from './gate.js';
import { answersIn, regenerated, turnFor } from './submission.js';
import type { PageMessage } from './submission.js';
import { TurnStream } from './turn-stream.js';

export interface ChatTransportOptions {
  /** A client, which the page connects. */
  client: HoldfastClient;
  /** The major of the package `ai` in this page: it decides what the page can be told. */
  major: Major;
  /** The agent that answers; the server's own unless given. */
  agent?: string;
  /** What happens to a message while the chat is busy; it waits unless said otherwise. */
  policy?: NonNullable<Turn['policy']>;
  /** Whether `stop()` stops the turn. Otherwise it only stops the page from reading on. */
  stopOnAbort?: boolean;
}

type SendOptions<M extends UIMessage> = Parameters<ChatTransport<M>['sendMessages']>[0];
type ReconnectOptions<M extends UIMessage> = Parameters<ChatTransport<M>['reconnectToStream']>[0];

/**
 * The transport of `useChat` over a client: all chats of a page over one connection. A chat is a session, an answer a turn. A connection that is lost is no error: the
 * answer goes on when it is back, also if the turn has ended by then.
 */
export class HoldfastChatTransport<M extends UIMessage = UIMessage> implements ChatTransport<M> {
  /** For late clients of 7: what is resumed comes from its beginning. */
  readonly resumeStreamIsReplay = true;
  readonly #chats: Chats;

  constructor(private readonly options: ChatTransportOptions) {
    if (![5, 6, 7].includes(options.major)) {
      throw new TypeError(`The major of the package "ai" is 5, 6 or 7, not ${String(options.major)}.`);
    }
    this.#chats = new Chats(options.client);
  }

  async sendMessages({ trigger, chatId, messageId, messages, abortSignal }: SendOptions<M>): Promise<ReadableStream<UIMessageChunk>> {
    const session = this.#chats.get(chatId);
    const last = messages.at(-1) as PageMessage | undefined;
    if (trigger === 'regenerate-message') {
      await this.#chats.known(session, abortSignal);
      const regenerate = regenerated(session, messages as unknown as PageMessage[], messageId);
      return this.#start(session, { id: this.#chats.freshKey(), regenerate }, abortSignal);
    }
    if (last?.role === 'assistant') {
      return this.#answer(session, last, abortSignal);
    }
    if (last?.role !== 'user') {
      throw new Error('The last message is neither one of the user nor the assistant\'s with the outputs of its tools.');
    }
    if (messageId === last.id) {
      await this.#chats.known(session, abortSignal); // an edited message is beside the stored one
    }
    return this.#start(session, turnFor(session, last, messageId), abortSignal);
  }

  async reconnectToStream({ chatId, ...rest }: ReconnectOptions<M>): Promise<ReadableStream<UIMessageChunk> | null> {
    const abortSignal = (rest as { abortSignal?: AbortSignal }).abortSignal;
    const session = this.#chats.get(chatId);
    await this.#chats.known(session, abortSignal);
    const { turns } = session.state;
    const isWaiting = turns.some(turn => turn.state === 'awaiting');
    const turn = turns.find(each => each.state === 'streaming') ?? (isWaiting ? undefined : turns[0]);
    if (session.state.status === 'detached' || turn === undefined) {
      return null;
    }
    const { stream, turnStream } = this.#open(session, turn.id, false, abortSignal);
    turnStream.begin(turn);
    return stream;
  }

  /** Lets go of all chats. Streams that are read end without more chunks. */
  close(): void {
    this.#chats.close();
  }

  async #start(session: SessionView, turn: Turn & { id: string }, abortSignal: AbortSignal | undefined): Promise<ReadableStream<UIMessageChunk>> {
    const { client, agent, policy } = this.options;
    if (client.state.status === 'ended') {
      throw new HoldfastError('closed', client.state.detail, client.state.problem);
    }
    const opened = this.#open(session, turn.id, false, abortSignal);
    const live = session.state.turns.find(each => each.id === turn.id);
    if (live !== undefined) {
      opened.turnStream.begin(live); // the same message again
    }
    const discard = () => client.outbox.discard(turn.id);
    abortSignal?.addEventListener('abort', discard, { once: true });
    try {
      const whole = { ...turn, ...(agent === undefined ? {} : { agent }), ...(policy === undefined ? {} : { policy }) };
      opened.turnStream.receipt(await client.send(session.id, whole, { create: true }));
      return opened.stream;
    } catch (error) {
      opened.close();
      throw abortSignal?.aborted === true ? aborted() : error;
    } finally {
      abortSignal?.removeEventListener('abort', discard);
    }
  }

  /** The page sends the assistant's message back, with outputs of its tools and decisions of its user. */
  async #answer(session: SessionView, sent: PageMessage, abortSignal: AbortSignal | undefined): Promise<ReadableStream<UIMessageChunk>> {
    await this.#chats.known(session, abortSignal);
    const turn = session.state.turns.find(each => each.messageId === sent.id);
    if (turn === undefined) {
      throw new Error(`No turn waits for the message "${sent.id}". Load the chat anew.`);
    }
    const stored = session.message(sent.id);
    const { stream, turnStream, close } = this.#open(session, turn.id, true, abortSignal);
    let goesOn = turn.state === 'streaming';
    try {
      for (const answer of answersIn(sent, stored && content(stored))) {
        const result = await this.options.client.answer(session.id, turn.id, answer, abortSignal ? { signal: abortSignal } : {});
        goesOn = result.state !== 'awaiting';
      }
    } catch (error) {
      close();
      throw error;
    }
    if (!goesOn) {
      turnStream.rests(sent.id);
    }
    return stream;
  }

  #open(session: SessionView, turn: string, goesOn: boolean, abortSignal: AbortSignal | undefined) {
    const chats = this.#chats;
    let controller!: ReadableStreamDefaultController<UIMessageChunk>;
    let end: () => void = () => undefined;
    const stream = new ReadableStream<UIMessageChunk>({
      start: opened => void (controller = opened),
      cancel: () => end(),
    });
    const turnStream = new TurnStream(session, turn, this.options.major, goesOn, {
      chunk: (chunk: Chunk) => controller.enqueue(chunk as unknown as UIMessageChunk),
      done: () => {
        end();
        controller.close();
      },
      cut: () => {
        end();
        // what the published clients take for a lost connection
        controller.error(new TypeError('network: the answer was begun anew. Resume the stream to read it.'));
      },
    });
    const abort = () => {
      end();
      controller.error(aborted());
      if (this.options.stopOnAbort === true) {
        this.options.client.stop(session.id, { turn }).catch(() => undefined); // it may have ended
      }
    };
    const release = chats.use(session.id);
    end = () => {
      end = () => undefined;
      turnStream.close();
      abortSignal?.removeEventListener('abort', abort);
      release();
    };
    if (abortSignal?.aborted === true) {
      abort();
    } else {
      abortSignal?.addEventListener('abort', abort, { once: true });
    }
    return { stream, turnStream, close: () => end() };
  }
}

function aborted(): Error {
  return new DOMException('The page does not read on.', 'AbortError');
}
