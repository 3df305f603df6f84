import type { Dispatcher } from 'undici';

const newline = 0x0a;

/**
 * One request and its answer, with the times of its parts. `error` null: it was answered with 200 and a whole
 * body.
 */
export class TimedExchange implements Dispatcher.DispatchHandler {
  readonly startedAt = performance.now();
  firstByteMs = 0;
  latencyMs = 0;
  /** Events of a stream: blank lines that end one. */
  chunks = 0;
  error: string | null = null;
  private status = 0;
  private endsInNewline = false;

  constructor(private readonly done: (exchange: TimedExchange) => void) {}

  onRequestStart(): void {
    // undici asks handlers for this method to know that they are of its present kind.
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Uint8Array): void {
    if (this.firstByteMs === 0) this.firstByteMs = performance.now() - this.startedAt;
    if (this.endsInNewline && bytes[0] === newline) this.chunks += 1;
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) {
      if (bytes[at + 1] === newline) this.chunks += 1;
    }
    this.endsInNewline = bytes[bytes.length - 1] === newline;
  }

  onResponseEnd(): void {
    this.latencyMs = performance.now() - this.startedAt;
    if (this.status !== 200) this.error = `status ${this.status}`;
    this.done(this);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.error = error.message;
    this.done(this);
  }
}
