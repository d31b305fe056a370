import { Attachments } from './attachments.js';
import { Commands } from './commands.js';
import type { CommandOptions } from './commands.js';
import { Connection } from './connection.js';
import type { ConnectionState } from './connection.js';
import type { Environment } from './environment.js';
import type { Figures } from './figures.js';
import { MessageLoader } from './message-loader.js';
import { addressOf, environmentOf, transportOf } from './options.js';
import type { ClientOptions } from './options.js';
import { Outbox } from './outbox.js';
import { OutboxStore } from './outbox-store.js';
import { followPage } from './page.js';
import type { AnswerResult, CloseResult, ModeResult, Receipt, StopResult, ToolAnswer, Turn } from './protocol.js';
import { Requests } from './requests.js';
import type { RequestOptions } from './requests.js';
import { search } from './search.js';
import type { SearchOptions, SearchPage } from './search.js';
import { Sessions } from './sessions.js';
import type { SessionListener } from './session-state.js';
import { SessionView } from './session-view.js';
import { Signal } from './signal.js';
import { Watches } from './watches.js';

export interface SendOptions {
  /** Makes the session if it is missing. */
  create?: boolean;
}

export interface StopOptions extends CommandOptions {
  /** The turn; the one that runs, if it is left out. */
  turn?: string;
  reason?: string;
}

/**
 * Many sessions over one connection that may break at any moment. It comes back by itself, with a cursor per session, and has every event exactly once.
 *
 * {@link connect} begins; from then on {@link state} says how it stands. Watch sessions and send messages at any time, connected or not.
 */
export class HoldfastClient {
  /** The user's messages on their way. */
  readonly outbox: Outbox;
  /** Lists, titles, history and export of sessions. */
  readonly sessions: Sessions;
  /** Files of sessions. */
  readonly attachments: Attachments;
  readonly #requests: Requests;
  readonly #environment: Environment;
  readonly #connection: Connection;
  readonly #commands: Commands;
  readonly #watches: Watches;
  readonly #loader: MessageLoader;
  readonly #states: Signal<ConnectionState>;
  #unfollow: (() => void) | undefined;

  constructor(options: ClientOptions = {}) {
    const environment = environmentOf(options);
    const address = addressOf(options, environment);
    this.#environment = environment;
    this.#requests = new Requests(address, environment);
    this.sessions = new Sessions(this.#requests);
    this.attachments = new Attachments(this.#requests);
    this.#states = new Signal(error => environment.report(error));
    this.#watches = new Watches(environment, session => session.missing.size > 0 && this.#loader.look());
    this.#connection = new Connection(transportOf(options, address, environment), environment, {
      askAll: () => this.#watches.askAll(),
      isWatching: () => this.#watches.isWatching(),
      reconnected: (asked, result) => this.#watches.reconnected(asked, result),
      message: message => this.#watches.message(message),
      dropped: () => {
        this.#watches.dropped();
        this.#commands.dropped();
        this.outbox.dropped();
      },
      changed: state => this.#changed(state),
    });
    this.#watches.connection = this.#connection;
    this.#commands = new Commands(this.#connection, environment);
    this.#loader = new MessageLoader(address, environment, () => this.#watches.sessions);
    const store = new OutboxStore(environment, `holdfast.outbox.${options.outbox ?? address.url}`);
    this.outbox = new Outbox(this.#connection, environment, store, receipt => this.#watches.confirm(receipt.session));
  }

  /** How it stands. Another object after each change. */
  get state(): ConnectionState {
    return this.#connection.state;
  }

  /** Listens to changes of {@link state}. Returns what ends the listening. */
  listen(listener: (state: ConnectionState) => void): () => void {
    return this.#states.listen(listener);
  }

  /** Opens the connection, and keeps one open from now on. Does nothing if it does so already. */
  connect(): void {
    if (this.#unfollow === undefined && this.#environment.page !== undefined) {
      this.#unfollow = followPage(this.#environment.page, this.#connection);
    }
    this.#connection.connect();
  }

  /** Ends the connection. From the end of this call on nothing fires; what waits in the outbox is kept. */
  disconnect(): void {
    this.#end();
    this.#connection.disconnect();
  }

  /** Cuts the connection as if the network had lost it: the client comes back after its pause and goes on. Does nothing without a connection. */
  drop(): void {
    this.#connection.fail('The connection was dropped on purpose.');
  }

  /** Comes back now instead of after the pause, unless the server asked for that pause. */
  hurry(): void {
    this.#connection.hurry();
  }

  /** Tells the server that this client goes for good, and disconnects. */
  leave(): void {
    this.#end();
    this.#connection.leave();
  }

  #end(): void {
    this.#unfollow?.();
    this.#unfollow = undefined;
    this.#loader.stop();
    this.outbox.closed();
    this.#commands.closed();
  }

  #changed(state: ConnectionState): void {
    if (state.status === 'connected') {
      this.#watches.connected();
      this.#commands.connected();
      this.outbox.pump();
      this.#loader.look();
    } else if (state.status === 'ended') {
      this.outbox.closed();
      this.#commands.closed();
    }
    this.#states.emit(state);
  }

  /**
   * Watches a session. The listener takes its frames as they come, and can refuse one by throwing; {@link SessionView.state} is what they make. Views of one session share
   * what they show. Close a view that is not needed any more.
   *
   * @throws {HoldfastError} `full`, if 256 sessions are watched already
   */
  watch(session: string, listener?: SessionListener): SessionView {
    const watched = this.#watches.add(session);
    return new SessionView(
      watched,
      listener,
      () => this.#watches.remove(session),
      () => this.#watches.again(session),
    );
  }

  /**
   * Sends a message, or starts another turn, through the outbox: in order, whatever happens, once. The promise resolves with the receipt, which is durable.
   *
   * @param session the session; null for a new one, whose id the receipt has
   * @param turn text of the user, or the turn
   * @throws {HoldfastError} `full`, if 100 messages wait already
   */
  send(session: string | null, turn: string | Turn, options: SendOptions = {}): Promise<Receipt> {
    return this.#submit('send', session, turn, options);
  }

  /** Starts a turn and stops the one that runs. Waits for no other message in the outbox, but for a connection. */
  interrupt(session: string | null, turn: string | Turn, options: SendOptions = {}): Promise<Receipt> {
    return this.#submit('interrupt', session, turn, options);
  }

  #submit(kind: 'send' | 'interrupt', session: string | null, turn: string | Turn, options: SendOptions): Promise<Receipt> {
    const given = typeof turn === 'string' ? { message: { text: turn } } : turn;
    const key = given.id ?? given.message?.id ?? given.message?.content?.id ?? this.#environment.newId();
    const message = given.message === undefined ? {} : { message: { id: given.message.content?.id ?? key, ...given.message } };
    return this.outbox.add({
      key,
      kind,
      session,
      create: options.create ?? false,
      turn: { ...given, id: key, ...message },
    });
  }

  /** Stops a turn, durably. Sent once: if the connection is lost before the answer, it rejects as `uncertain`, and may be asked for again. */
  stop(session: string, options: StopOptions = {}): Promise<StopResult> {
    const { turn, reason, ...rest } = options;
    const command = { type: 'stop' as const, session, ...(turn === undefined ? {} : { turn }), ...(reason === undefined ? {} : { reason }) };
    return this.#commands.run(command, rest) as Promise<StopResult>;
  }

  /** Answers a tool call, or a question whether a tool may run. The same again is `repeated` and harmless. */
  answer(session: string, turn: string, answer: ToolAnswer, options?: CommandOptions): Promise<AnswerResult> {
    return this.#commands.run({ type: 'answer', session, turn, answer }, options) as Promise<AnswerResult>;
  }

  /** Sets the session's mode, for its agent to read. */
  setMode(session: string, mode: string, options?: CommandOptions): Promise<ModeResult> {
    return this.#commands.run({ type: 'mode', session, mode }, options) as Promise<ModeResult>;
  }

  /** Ends a session; for its driver. */
  closeSession(session: string, reason?: string, options?: CommandOptions): Promise<CloseResult> {
    const command = { type: 'close' as const, session, ...(reason === undefined ? {} : { reason }) };
    return this.#commands.run(command, options) as Promise<CloseResult>;
  }

  /** Looks for messages by their words. */
  search(text: string, options: SearchOptions = {}): Promise<SearchPage> {
    return search(this.#requests, text, options);
  }

  /** What the server is doing at this moment. */
  figures(options: RequestOptions = {}): Promise<Figures> {
    return this.#requests.json(this.#requests.path('console'), options);
  }
}
