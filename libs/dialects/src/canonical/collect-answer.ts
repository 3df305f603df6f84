import type { TokenUsage } from '@tollgate/contracts';
import type { AnswerBlock, AnswerChoice, CanonicalAnswer } from './answer';
import type { GenerationEvent } from './generation-event';

/** Collects legal events into a whole answer. */
export class AnswerCollector {
  private id: string | null = null;
  private model: string | null = null;
  private createdAtS: number | null = null;
  private usage: TokenUsage | null = null;
  private readonly choices = new Map<number, AnswerChoice>();
  private readonly blocks = new Map<number, AnswerBlock>();

  add(event: GenerationEvent): void {
    switch (event.type) {
      case 'start':
        this.id = event.id;
        this.model = event.model;
        this.createdAtS = event.createdAtS;
        return;
      case 'usage':
        this.usage = event.usage;
        return;
      case 'finish':
        return this.finish(event);
      case 'end':
      case 'error':
        return;
      case 'text-start':
      case 'reasoning-start':
      case 'refusal-start':
      case 'tool-call-start':
        return this.begin(event.choice, event.block, emptyBlock(event));
      default:
        return extend(this.blocks.get(event.block), event);
    }
  }

  /**
   * What was collected so far, choices in their order. A choice that has not finished has the reason unknown.
   */
  answer(): CanonicalAnswer {
    const { id, model, createdAtS, usage } = this;
    const choices = [...this.choices].sort(([a], [b]) => a - b).map(([, choice]) => choice);
    return { id, model, createdAtS, choices, usage };
  }

  private choice(number: number): AnswerChoice {
    let choice = this.choices.get(number);
    if (!choice) this.choices.set(number, (choice = { blocks: [], finish: 'unknown' }));
    return choice;
  }

  private begin(choice: number, number: number, block: AnswerBlock): void {
    this.blocks.set(number, block);
    this.choice(choice).blocks.push(block);
  }

  private finish(event: Extract<GenerationEvent, { type: 'finish' }>): void {
    const choice = this.choice(event.choice);
    choice.finish = event.reason;
    if (event.stopSequence !== undefined) choice.stopSequence = event.stopSequence;
    if (event.raw !== undefined) choice.rawFinish = event.raw;
  }
}

type BlockStart = Extract<
  GenerationEvent,
  { type: 'text-start' | 'reasoning-start' | 'refusal-start' | 'tool-call-start' }
>;
type BlockMore = Exclude<
  GenerationEvent,
  BlockStart | { type: 'start' } | { type: 'usage' } | { type: 'finish' } | { type: 'end' } | { type: 'error' }
>;

function emptyBlock(event: BlockStart): AnswerBlock {
  switch (event.type) {
    case 'text-start':
      return { type: 'text', text: '', citations: [] };
    case 'reasoning-start':
      return event.id === undefined ? { type: 'reasoning', text: '' } : { type: 'reasoning', text: '', id: event.id };
    case 'refusal-start':
      return { type: 'refusal', text: '' };
    case 'tool-call-start':
      return {
        type: 'tool-call',
        id: event.id,
        name: event.name,
        arguments: '',
        ...(event.signature && { signature: event.signature }),
      };
  }
}

function extend(block: AnswerBlock | undefined, event: BlockMore): void {
  if (event.type === 'text-delta' && block?.type === 'text') {
    block.text += event.text;
    // Of a stream that is gathered they come token by token: a new list for each took quadratic time.
    if (event.logprobs) (block.logprobs ??= []).push(...event.logprobs);
  } else if (event.type === 'citation' && block?.type === 'text') block.citations.push(event.citation);
  else if (event.type === 'reasoning-delta' && block?.type === 'reasoning') block.text += event.text;
  else if (event.type === 'reasoning-end' && block?.type === 'reasoning' && event.seal) block.seal = event.seal;
  else if (event.type === 'refusal-delta' && block?.type === 'refusal') block.text += event.text;
  else if (event.type === 'tool-call-delta' && block?.type === 'tool-call') block.arguments += event.arguments;
  else if (event.type === 'tool-call-end' && block?.type === 'tool-call' && event.signature)
    block.signature = event.signature;
}
