import type { Problem, Receipt, Reply } from './protocol.js';

/** The server does not know the connection (any more), so the command was not looked at. */
export function isConnectionGone(reply: Reply): boolean {
  const type = reply.problem?.type ?? '';
  return (reply.status === 404 || reply.status === 410) && (type.endsWith('connection-not-found') || type === 'about:blank');
}

export function answerProblem(reply: Reply): Problem {
  const status = reply.status;
  return reply.problem ?? { type: 'about:blank', title: 'Refused', status, detail: `The server answered ${status}.` };
}

/** The receipt of a turn; undefined if the answer is none of this turn. */
export function receiptOf(reply: Reply, turn: string): Receipt | undefined {
  const receipt = reply.result as Partial<Receipt> | undefined;
  const isReceipt =
    reply.status < 300 && receipt?.turn === turn && typeof receipt.session === 'string' && typeof receipt.state === 'string';
  return isReceipt ? (receipt as Receipt) : undefined;
}
