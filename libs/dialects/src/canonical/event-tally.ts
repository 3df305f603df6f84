import { countTextTokens } from '../tokens/o200k';
import { foldedText, foldText, keptText, OutputLength } from '../tokens/text-tally';
import type { GenerationEvent } from './generation-event';

/**
 * Counts what an answer generated, by tokenizer: text, reasoning, refusals, and the names and arguments of
 * tool calls. Memory is bounded per block.
 */
export class EventTally {
  private readonly runs = new Map<number, string>();
  private counted = 0;
  /** True once there was text, reasoning or a tool call. */
  hasContent = false;
  /** Of what was counted. */
  readonly length = new OutputLength();

  add(event: GenerationEvent): void {
    switch (event.type) {
      case 'text-delta':
      case 'reasoning-delta':
      case 'refusal-delta':
        return this.extend(event.block, event.text, event.type === 'reasoning-delta');
      case 'tool-call-delta':
        return this.extend(event.block, event.arguments, false);
      case 'tool-call-start':
        this.hasContent = true;
        this.counted += countTextTokens(event.name);
        return;
      default:
        return;
    }
  }

  /** Counts a part of it, and forgets that; false: nothing is left. Nothing more may come. */
  countSome(): boolean {
    let length = 0;
    for (const [block, text] of this.runs) {
      if (length > foldedText / 2) break;
      const { tokens, rest } = foldText(text);
      this.counted += tokens;
      if (rest === '') this.runs.delete(block);
      else this.runs.set(block, rest);
      length += text.length - rest.length;
    }
    return length > 0;
  }

  tokens(): number {
    let tokens = this.counted;
    for (const text of this.runs.values()) tokens += countTextTokens(text);
    return tokens;
  }

  private extend(block: number, text: string, isThought: boolean): void {
    if (text === '') return;
    this.length.add(text.length, isThought);
    this.hasContent = true;
    let run = (this.runs.get(block) ?? '') + text;
    while (run.length >= keptText + foldedText) {
      const { tokens, rest } = foldText(run);
      this.counted += tokens;
      run = rest;
    }
    this.runs.set(block, run);
  }
}
