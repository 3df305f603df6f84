import { BoundedBody } from '../generation/bounded-body';
import type { UpstreamExchange, UpstreamHeaders, UpstreamListener } from '../upstream/upstream-exchange';
import type { Upstream, UpstreamSend } from '../upstream/upstream-pools';

/** A small answer that was read to its end. */
export interface GatheredAnswer {
  status: number;
  headers: UpstreamHeaders;
  body: Uint8Array;
}

/** Far more than a count or an error needs. */
const maxBytes = 64 * 1024;

/**
 * Sends a request whose answer is small, and resolves with the whole of it; null when there was none, it was
 * too long, or the signal aborted. Never rejects.
 */
export function gatherAnswer(
  upstream: Upstream,
  send: UpstreamSend,
  signal: AbortSignal,
): Promise<GatheredAnswer | null> {
  return new Promise((resolve) => new Gathering(resolve, signal).start(upstream, send));
}

class Gathering implements UpstreamListener {
  private readonly body = new BoundedBody(maxBytes);
  private head: Pick<GatheredAnswer, 'status' | 'headers'> | null = null;
  private exchange: UpstreamExchange | null = null;
  private readonly giveUp = (): void => {
    this.exchange?.abort();
    this.finish(null);
  };

  constructor(
    private readonly resolve: (answer: GatheredAnswer | null) => void,
    private readonly signal: AbortSignal,
  ) {}

  start(upstream: Upstream, send: UpstreamSend): void {
    if (this.signal.aborted) return this.finish(null);
    this.signal.addEventListener('abort', this.giveUp, { once: true });
    this.exchange = upstream.send(send, this);
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    this.head = { status, headers };
  }

  onBytes(bytes: Uint8Array): void {
    this.body.push(bytes);
    if (this.body.full) this.giveUp();
  }

  onEnd(): void {
    this.finish(this.head && { ...this.head, body: this.body.bytes() });
  }

  onFault(): void {
    this.finish(null);
  }

  private finish(answer: GatheredAnswer | null): void {
    this.signal.removeEventListener('abort', this.giveUp);
    this.resolve(answer);
  }
}
