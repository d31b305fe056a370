import type { Command, Connection } from './connection.js';
import type { Environment, Timer } from './environment.js';
import { HoldfastError } from './errors.js';
import { MAX_WAITING_COMMANDS, WAITING_MILLIS } from './limits.js';
import { answerProblem, isConnectionGone } from './replies.js';

export interface CommandOptions {
  /** Gives the command up; if it was sent already, it may be done all the same. */
  signal?: AbortSignal;
  /** How long it may wait for a connection. */
  waitMillis?: number;
}

interface Waiting {
  readonly command: Command;
  readonly resolve: (result: object) => void;
  readonly reject: (error: HoldfastError) => void;
  timer: Timer | undefined;
  sent: boolean;
}

/** Commands beside the outbox: each waits until the client is connected, is sent once, and is never sent again. */
export class Commands {
  readonly #waiting = new Set<Waiting>();

  constructor(
    private readonly connection: Connection,
    private readonly environment: Environment,
  ) {}

  /** Resolves with the result; rejects with a {@link HoldfastError}. */
  run(command: Command, options: CommandOptions = {}): Promise<object> {
    if (this.#waiting.size >= MAX_WAITING_COMMANDS) {
      const full = `${MAX_WAITING_COMMANDS} commands wait already. Wait for a connection before you send more.`;
      return Promise.reject(new HoldfastError('full', full));
    }
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { command, resolve, reject, timer: undefined, sent: false };
      const { signal, waitMillis = WAITING_MILLIS } = options;
      if (signal?.aborted === true) {
        reject(new HoldfastError('discarded', 'The command was taken back.'));
        return;
      }
      signal?.addEventListener('abort', () => this.#give(waiting, 'discarded', 'The command was taken back.'), { once: true });
      this.#waiting.add(waiting);
      if (this.connection.isConnected) {
        this.#send(waiting);
      } else if (this.connection.state.status === 'ended') {
        this.#give(waiting, 'closed', 'The client has ended and is not connected any more.');
      } else {
        waiting.timer = this.environment.setTimer(() => {
          waiting.timer = undefined;
          this.#give(waiting, 'offline', 'There was no connection in time. Nothing was sent.');
        }, waitMillis);
      }
    });
  }

  connected(): void {
    for (const waiting of [...this.#waiting]) {
      if (!waiting.sent && this.connection.isConnected) {
        this.#send(waiting);
      }
    }
  }

  /** What was sent over the link that is gone is not answered any more. */
  dropped(): void {
    for (const waiting of [...this.#waiting]) {
      if (waiting.sent) {
        this.#give(waiting, 'uncertain', 'The connection was lost before the answer. It may have been done.');
      }
    }
  }

  /** The client is not coming back. */
  closed(): void {
    for (const waiting of [...this.#waiting]) {
      this.#give(waiting, 'closed', 'The client was disconnected.');
    }
  }

  #send(waiting: Waiting): void {
    waiting.sent = true;
    this.#clear(waiting);
    this.connection.ask(waiting.command, answer => {
      if (answer === null || isConnectionGone(answer)) {
        this.#give(waiting, 'uncertain', 'There was no answer in time. It may have been done.');
      } else if (answer.status >= 300) {
        this.#settle(waiting, () => waiting.reject(HoldfastError.refused(answerProblem(answer))));
      } else {
        this.#settle(waiting, () => waiting.resolve(answer.result ?? {}));
      }
      if (answer !== null && isConnectionGone(answer)) {
        this.connection.fail('The server does not know this connection any more.');
      }
    });
  }

  #give(waiting: Waiting, code: 'uncertain' | 'offline' | 'closed' | 'discarded', message: string): void {
    this.#settle(waiting, () => waiting.reject(new HoldfastError(code, message)));
  }

  #settle(waiting: Waiting, settle: () => void): void {
    if (this.#waiting.delete(waiting)) {
      this.#clear(waiting);
      settle();
    }
  }

  #clear(waiting: Waiting): void {
    if (waiting.timer !== undefined) {
      this.environment.clearTimer(waiting.timer);
      waiting.timer = undefined;
    }
  }
}
