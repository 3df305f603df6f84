import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { CallerResponse } from '../generation/caller-response';
import { RequestContext, type ResponseHeaders } from '../http/request-context';
import { FakeClock } from './fake-clock';

/** The way back to a caller that reads only when `read` is called, or always. */
export class FakeCaller {
  status: number | null = null;
  headers: Record<string, string> = {};
  text = '';
  overWith: number | null = null;
  isComplete = false;
  readonly response: CallerResponse;
  private readonly held: (() => void)[] = [];
  private readonly socket: Writable;

  constructor(private readonly readsAtOnce = true) {
    this.socket = new Writable({
      highWaterMark: 16,
      write: (chunk: Buffer, _encoding, done) => {
        this.text += chunk.toString();
        if (this.readsAtOnce) done();
        else this.held.push(done);
      },
      final: (done) => {
        this.isComplete = true;
        done();
      },
    });
    const raw = Object.assign(this.socket, {
      writeHead: (status: number, headers: Record<string, string>) => {
        this.status = status;
        this.headers = headers;
      },
    });
    const none: Pick<ResponseHeaders, 'of'> = { of: () => ({}) };
    this.response = new CallerResponse(
      // Of Node's response only the stream and writeHead are used.
      raw as unknown as ServerResponse,
      new RequestContext('r', new FakeClock()),
      none as ResponseHeaders,
      '/v1/chat/completions',
      (status) => (this.overWith = status),
    );
  }

  /** Takes everything that was written so far. */
  async read(): Promise<void> {
    while (this.held.length > 0) {
      this.held.shift()?.();
      await new Promise(setImmediate);
    }
  }

  leave(): void {
    this.socket.destroy();
  }

  get isGone(): boolean {
    return this.socket.destroyed && !this.isComplete;
  }
}
