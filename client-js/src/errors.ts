import type { Problem } from './protocol.js';

/**
 * Why something was not done.
 *
 * - `refused`: the server answered with a problem, which is in `problem`.
 * - `uncertain`: it was sent, and no answer came. It may have been done.
 * - `offline`: there was no connection within the time that was given; nothing was sent.
 * - `full`: too much is waiting already.
 * - `closed`: the client was disconnected, or has ended.
 * - `discarded`: it was taken back before it was answered.
 */
export type ErrorCode = 'refused' | 'uncertain' | 'offline' | 'full' | 'closed' | 'discarded';

export class HoldfastError extends Error {
  override readonly name = 'HoldfastError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly problem?: Problem,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  static refused(problem: Problem): HoldfastError {
    return new HoldfastError('refused', problem.detail || problem.title, problem);
  }
}
