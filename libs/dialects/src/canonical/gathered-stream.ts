import type { GatheredAnswer } from '../surface-dialect';
import { maxEventBytes } from '../wire/answer-limits';
import { isRecord, parseJson } from '../wire/json-value';
import { SseEventTooLongError, SseSplitter } from '../wire/sse-splitter';
import { dataOf, nameOf } from './answer-pieces';

/** Puts the events of a stream together, in the words of one dialect. */
export interface StreamAssembly {
  /** One event: its name ('' for none) and its data. */
  add(name: string, value: Record<string, unknown>): void;
  /** What came so far, as a whole answer would tell it. Null: nothing. */
  answer(): Record<string, unknown> | null;
}

/**
 * What the bytes of a stream come to, of which it reads at most so many. Data that is no JSON object is
 * passed over.
 */
export class GatheredStream implements GatheredAnswer {
  isTruncated = false;
  private readonly splitter = new SseSplitter(maxEventBytes);
  private read = 0;

  constructor(
    private readonly assembly: StreamAssembly,
    private readonly maxBytes: number,
  ) {}

  push(bytes: Uint8Array): void {
    this.read += bytes.length;
    this.isTruncated ||= this.read > this.maxBytes;
    if (this.isTruncated) return;
    try {
      this.splitter.push(bytes, (event) => {
        const value = event.hasData ? parseJson(dataOf(event)) : undefined;
        if (isRecord(value)) this.assembly.add(nameOf(event), value);
      });
    } catch (error) {
      if (!(error instanceof SseEventTooLongError)) throw error;
      this.isTruncated = true;
    }
  }

  answer(): unknown {
    return this.assembly.answer();
  }
}
