import type { GenerationCall } from '@tollgate/messaging';
import type { GenerationHead } from '@tollgate/contracts';

/** The caller's side of an answer: the head once, then bytes. */
export class CallerAnswer {
  /** The HTTP status that was sent, null while none was. From then on nothing else can be tried. */
  status: number | null = null;
  /** Epoch milliseconds at which the first content went out, null while none did. */
  firstTokenAt: number | null = null;

  constructor(private readonly call: GenerationCall) {}

  get begun(): boolean {
    return this.status !== null;
  }

  begin(head: GenerationHead): void {
    if (this.begun) return;
    this.status = head.status;
    this.call.head(head);
  }

  /** False: the caller's window is used up; wait for `drained`. */
  write(bytes: Uint8Array, hasContent: boolean): boolean {
    if (hasContent) this.firstTokenAt ??= Date.now();
    return bytes.length === 0 || this.call.write(bytes);
  }

  /** Resolves when there is room again; rejects when the call is stopped. */
  drained(): Promise<void> {
    return this.call.drained();
  }
}
