import { foldedText, OutputLength, TextTally } from '../tokens/text-tally';

/**
 * Kinds of generated text that are counted apart, because a tokenizer must not join the end of one with the
 * start of another.
 */
export const outputKind = { content: 0, reasoning: 1, refusal: 2, firstTool: 4 } as const;

/** A tool call takes two places: its name and its arguments. */
export function toolNameKind(toolIndex: number): number {
  return outputKind.firstTool + 2 * Math.min(toolIndex, 1_000);
}

export function toolArgumentsKind(toolIndex: number): number {
  return toolNameKind(toolIndex) + 1;
}

/** More runs of text than this in one answer share the last one, so that memory stays bounded. */
const maxRuns = 512;
const kindsPerChoice = 4_096;
const sharedRun = -1;

/** Everything an answer generated, by choice and kind, ready to be counted. */
export class OutputTally {
  /** Of what was counted, as it came over the wire. */
  readonly length = new OutputLength();
  private readonly runs = new Map<number, TextTally>();

  /** Adds the inside of a JSON string, bytes[start, end). */
  add(choice: number, kind: number, bytes: Uint8Array, start: number, end: number): void {
    if (end <= start) return;
    this.length.add(end - start, kind === outputKind.reasoning);
    this.run(choice * kindsPerChoice + kind).add(bytes, start, end);
  }

  /** Counts a part of it, and forgets that; false: nothing is left. Nothing more may come. */
  countSome(): boolean {
    let length = 0;
    for (const run of this.runs.values()) if (length <= foldedText / 2) length += run.countSome();
    return length > 0;
  }

  tokens(): number {
    let tokens = 0;
    for (const run of this.runs.values()) tokens += run.tokens();
    return tokens;
  }

  private run(key: number): TextTally {
    const known = this.runs.get(key);
    if (known) return known;
    if (this.runs.size >= maxRuns && key !== sharedRun) return this.run(sharedRun);
    const run = new TextTally();
    this.runs.set(key, run);
    return run;
  }
}
