import type { RequestMessage } from './inner-exchange';

/** The caller hung up before its answer: nobody is there to be told anything. */
export class CallerLeft extends Error {}

/**
 * Waits for something on behalf of a caller; `left` fires when that hangs up.
 * @throws CallerLeft where it is gone already; what `wait` throws.
 */
export type CallersWait = <Result>(wait: (left: AbortSignal) => Promise<Result>) => Promise<Result>;

/** As CallersWait, of whoever is at the other end of this request. */
export async function whileThere<Result>(
  { socket }: Pick<RequestMessage, 'socket'>,
  wait: (left: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (socket.destroyed) throw new CallerLeft();
  const left = new AbortController();
  const leave = () => left.abort(new CallerLeft());
  socket.once('close', leave);
  try {
    return await wait(left.signal);
  } finally {
    socket.off('close', leave);
  }
}
