import { brokenAnswer } from '../upstream-error/broken-answer';
import type { GenerationEvent } from './generation-event';

type BlockKind = 'text' | 'reasoning' | 'refusal' | 'tool-call';

interface OpenBlock {
  choice: number;
  kind: BlockKind;
}

/**
 * Brings a parser's events into the order that writers rely on: `start` first; every block closed before its
 * choice finishes; one `finish` for a choice and no block after it; nothing after `end` or `error`; an `end`
 * before every choice that began has finished is the error `unfinished_answer`.
 */
export class LegalEvents {
  private readonly open = new Map<number, OpenBlock>();
  private readonly begun = new Set<number>();
  private readonly finished = new Set<number>();
  private started = false;
  private over = false;

  constructor(private readonly providerName: string) {}

  /** True once `end` or `error` was given out. */
  get isOver(): boolean {
    return this.over;
  }

  /** The choices that began and have not finished. */
  get openChoices(): number[] {
    return [...this.begun].filter((choice) => !this.finished.has(choice));
  }

  /**
   * Zero, one or more legal events for one of a parser's.
   * @throws TypeError for a delta without a block, which is a fault of the parser.
   */
  take(event: GenerationEvent): GenerationEvent[] {
    if (this.over) return [];
    if (event.type === 'start') return this.start(event);
    const legal = this.body(event);
    if (this.started || event.type === 'error' || legal.length === 0) return legal;
    this.started = true;
    return [{ type: 'start', id: null, model: null, createdAtS: null }, ...legal];
  }

  private start(event: GenerationEvent): GenerationEvent[] {
    if (this.started) return [];
    this.started = true;
    return [event];
  }

  private body(event: Exclude<GenerationEvent, { type: 'start' }>): GenerationEvent[] {
    switch (event.type) {
      case 'usage':
        return [event];
      case 'finish':
        return this.finish(event);
      case 'end':
        return this.end();
      case 'error':
        this.over = true;
        return [event];
      case 'text-start':
      case 'reasoning-start':
      case 'refusal-start':
      case 'tool-call-start':
        return this.begin(event, kindOf(event.type));
      default:
        return this.continue(event);
    }
  }

  private begin(event: GenerationEvent & { choice: number; block: number }, kind: BlockKind): GenerationEvent[] {
    if (this.finished.has(event.choice)) return [];
    this.begun.add(event.choice);
    this.open.set(event.block, { choice: event.choice, kind });
    return [event];
  }

  /** Deltas, ends and citations. */
  private continue(event: GenerationEvent & { choice: number; block: number }): GenerationEvent[] {
    if (this.finished.has(event.choice)) return [];
    const isEnd = event.type.endsWith('-end');
    if (!this.open.has(event.block)) {
      // A citation or an end may come after its block was closed.
      if (isEnd || event.type === 'citation') return [];
      throw new TypeError(`${event.type} for block ${event.block}, which is not open`);
    }
    if (isEnd) this.open.delete(event.block);
    return [event];
  }

  private finish(event: GenerationEvent & { choice: number }): GenerationEvent[] {
    if (this.finished.has(event.choice)) return [];
    this.begun.add(event.choice);
    const ends = this.closeBlocksOf(event.choice);
    this.finished.add(event.choice);
    return [...ends, event];
  }

  private closeBlocksOf(choice: number): GenerationEvent[] {
    const ends: GenerationEvent[] = [];
    for (const [block, open] of this.open) {
      if (open.choice !== choice) continue;
      this.open.delete(block);
      ends.push({ type: `${open.kind}-end`, choice, block });
    }
    return ends;
  }

  private end(): GenerationEvent[] {
    this.over = true;
    if (this.finished.size > 0 && this.finished.size === this.begun.size) return [{ type: 'end' }];
    const [code, what] =
      this.begun.size === 0
        ? ['empty_answer', 'ended the stream without an answer']
        : ['unfinished_answer', 'ended the stream before the answer was finished'];
    return [{ type: 'error', error: brokenAnswer(this.providerName, code, what) }];
  }
}

function kindOf(type: `${BlockKind}-start`): BlockKind {
  switch (type) {
    case 'text-start':
      return 'text';
    case 'reasoning-start':
      return 'reasoning';
    case 'refusal-start':
      return 'refusal';
    case 'tool-call-start':
      return 'tool-call';
  }
}
