import type { UpstreamError } from '../provider-dialect';
import { mapTextsIn } from '../wire/request-texts';
import type { GenerationEvent } from './generation-event';

/**
 * Lets a text through that comes in pieces, and holds back what may not leave yet. `blockedBy`: the id of
 * what refused it, null while nothing did.
 */
export interface AnswerGate {
  readonly blockedBy: string | null;
  /** True once what left is not what came. */
  readonly hasChanged: boolean;
  push(piece: string): string;
  end(): string;
}

type BlockEvent = Extract<GenerationEvent, { block: number }>;
type TextStart = Extract<GenerationEvent, { type: 'text-start' | 'reasoning-start' | 'refusal-start' }>;
type TextDelta = Extract<GenerationEvent, { type: 'text-delta' | 'reasoning-delta' | 'refusal-delta' }>;
type CallStart = Extract<GenerationEvent, { type: 'tool-call-start' }>;

/** A text under way. `start` null: it was told. */
interface OpenText {
  readonly choice: number;
  readonly kind: 'text' | 'reasoning' | 'refusal';
  start: TextStart | null;
  gate: AnswerGate;
  hasChanged: boolean;
}

/** A tool call is told when its arguments are whole: they are JSON, which must stay so. */
interface HeldCall {
  readonly start: CallStart;
  arguments: string;
}

/**
 * The events of one answer on their way through gates, one for each text: legal events in, legal events out.
 * When a gate blocks, an error ends the answer; the usage that is told afterwards still goes through. Log
 * probabilities are left out, as they would tell what was taken out of the text.
 */
export class GuardedEvents {
  private readonly texts = new Map<number, OpenText>();
  private readonly calls = new Map<number, HeldCall>();
  private isBlocked = false;

  constructor(private readonly newGate: () => AnswerGate) {}

  take(event: GenerationEvent): GenerationEvent[] {
    if (this.isBlocked) return event.type === 'usage' ? [event] : [];
    return 'block' in event ? this.inBlock(event) : [event];
  }

  private inBlock(event: BlockEvent): GenerationEvent[] {
    const before = this.release(event);
    return this.isBlocked ? before : [...before, ...this.handle(event)];
  }

  private handle(event: BlockEvent): GenerationEvent[] {
    switch (event.type) {
      case 'text-start':
      case 'reasoning-start':
      case 'refusal-start':
        return this.begin(event);
      case 'text-delta':
      case 'reasoning-delta':
      case 'refusal-delta':
        return this.extend(event);
      case 'citation':
        return [...this.started(this.texts.get(event.block)), event];
      case 'tool-call-start':
        this.calls.set(event.block, { start: event, arguments: '' });
        return [];
      case 'tool-call-delta':
        return this.argue(event);
      case 'tool-call-end':
        return this.call(event);
      default:
        return this.close(event);
    }
  }

  private begin(event: TextStart): GenerationEvent[] {
    const kind = event.type === 'text-start' ? 'text' : event.type === 'reasoning-start' ? 'reasoning' : 'refusal';
    const { choice } = event;
    this.texts.set(event.block, { choice, kind, start: event, gate: this.newGate(), hasChanged: false });
    return [];
  }

  private extend({ block, text }: TextDelta): GenerationEvent[] {
    const open = this.texts.get(block);
    if (!open) return [];
    return this.told(open, block, open.gate.push(text));
  }

  /** What a gate let go, as a delta; or the end of the answer. */
  private told(open: OpenText, block: number, text: string): GenerationEvent[] {
    if (open.gate.blockedBy !== null) return this.blocked(open.gate.blockedBy);
    if (text === '') return [];
    return [...this.started(open), { type: `${open.kind}-delta`, choice: open.choice, block, text }];
  }

  private started(open: OpenText | undefined): GenerationEvent[] {
    if (!open?.start) return [];
    const { start } = open;
    open.start = null;
    return [start];
  }

  /**
   * Another block of the choice goes on, so what is held of its texts is over, at least for now: nothing
   * changes its place.
   */
  private release(event: BlockEvent): GenerationEvent[] {
    return [...this.texts].flatMap(([block, open]) =>
      block !== event.block && open.choice === event.choice && !this.isBlocked ? this.drain(open, block) : [],
    );
  }

  private drain(open: OpenText, block: number): GenerationEvent[] {
    const rest = this.told(open, block, open.gate.end());
    open.hasChanged ||= open.gate.hasChanged;
    open.gate = this.newGate();
    return this.isBlocked ? rest : [...this.started(open), ...rest];
  }

  private close(event: Extract<BlockEvent, { type: 'text-end' | 'reasoning-end' | 'refusal-end' }>): GenerationEvent[] {
    const open = this.texts.get(event.block);
    if (!open) return [event];
    const rest = this.drain(open, event.block);
    this.texts.delete(event.block);
    if (this.isBlocked) return rest;
    // A seal proves a text that is not there any more: without it, the block is not sent back to its
    // provider.
    if (event.type !== 'reasoning-end' || !open.hasChanged) return [...rest, event];
    return [...rest, { type: 'reasoning-end', choice: event.choice, block: event.block }];
  }

  private argue({ block, arguments: more }: Extract<BlockEvent, { type: 'tool-call-delta' }>): GenerationEvent[] {
    const held = this.calls.get(block);
    if (held) held.arguments += more;
    return [];
  }

  private call(event: Extract<BlockEvent, { type: 'tool-call-end' }>): GenerationEvent[] {
    const held = this.calls.get(event.block);
    if (!held) return [event];
    this.calls.delete(event.block);
    let blockedBy: string | null = null;
    const checked = mapTextsIn(held.arguments, (text) => {
      const gate = this.newGate();
      const left = gate.push(text) + gate.end();
      blockedBy ??= gate.blockedBy;
      return left;
    });
    if (blockedBy !== null) return this.blocked(blockedBy);
    const { choice, block } = event;
    const delta = checked === '' ? [] : [{ type: 'tool-call-delta' as const, choice, block, arguments: checked }];
    return [held.start, ...delta, event];
  }

  private blocked(guardrail: string): GenerationEvent[] {
    this.isBlocked = true;
    return [{ type: 'error', error: blockedAnswer(guardrail) }];
  }
}

function blockedAnswer(guardrail: string): UpstreamError {
  const message = `The answer was blocked by the guardrail ${guardrail}.`;
  return { fault: 'caller', code: 'guardrail_blocked', message, retryAfterS: null, guardrail };
}
