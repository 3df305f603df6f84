import type { TokenUsage } from '@tollgate/contracts';
import { tokensOfBoth } from '@tollgate/contracts';
import type { AnswerContext, StreamWriter, SurfaceCodec } from './codec';
import type { GenerationEvent } from './generation-event';
import { beginsAnswer } from './translated-answer-reader';

type BlockKind = 'text' | 'reasoning' | 'refusal' | 'tool-call';

/**
 * An attempt whose stream broke: what its caller has, what it used, and what a comment of the stream says
 * where another one goes on.
 */
interface Broken {
  readonly writer: StreamWriter;
  readonly open: ReadonlyMap<number, BlockKind>;
  readonly nextBlock: number;
  readonly said: string;
  readonly used: TokenUsage;
  readonly comment: string;
}

/**
 * What one attempt writes of a stream that may go on at another place when it breaks. The next attempt writes
 * on with the same writer: a text that was under way goes on where text comes next, everything else that was
 * begun is ended first, and its usage is told with that of the attempt before it.
 */
export class ContinuedAnswer implements StreamWriter {
  private writer: StreamWriter | null = null;
  /** By the numbers that the writer knows. */
  private readonly open = new Map<number, BlockKind>();
  /** Where blocks of this attempt stand among all, where that is not behind those of the attempt before. */
  private readonly places = new Map<number, number>();
  /** Where the blocks of this attempt begin. */
  readonly firstBlock: number;
  private nextBlock: number;
  private said: string;
  /** A call, a refusal, a second choice or an end was told: another place could not go on from there. */
  private isBound = false;
  /** The answer of the attempt before went on with this one. */
  hasGoneOn = false;

  constructor(private readonly broken: Broken | null = null) {
    this.firstBlock = this.nextBlock = broken?.nextBlock ?? 0;
    this.said = broken?.said ?? '';
  }

  /** The text that the caller has; null: the answer cannot go on elsewhere. */
  get textSoFar(): string | null {
    return this.isBound ? null : this.said;
  }

  /**
   * The attempt after this one, whose stream broke. `used`: its tokens; `comment`: one line.
   * @throws TypeError when nothing was written.
   */
  next(used: TokenUsage, comment: string): ContinuedAnswer {
    const { writer, open, nextBlock, said } = this;
    if (!writer) throw new TypeError('an answer that has not begun cannot go on');
    return new ContinuedAnswer({ writer, open, nextBlock, said, used, comment });
  }

  /** The writer of this attempt. */
  writerFor(surface: SurfaceCodec, context: AnswerContext): StreamWriter {
    this.writer = this.broken?.writer ?? surface.streamWriter(context);
    return this;
  }

  write(event: GenerationEvent): string {
    const { broken } = this;
    if (!broken) return this.tell(event);
    if (event.type === 'start') return '';
    if (event.type === 'usage') return this.tell({ type: 'usage', usage: tokensOfBoth(broken.used, event.usage) });
    if (this.hasGoneOn || !beginsAnswer(event)) return this.tell(this.placed(event));
    this.hasGoneOn = true;
    const seam = `: ${broken.comment}\n\n`;
    const text = event.type === 'text-start' ? lastText(broken.open) : null;
    const ends = [...broken.open].map(([block, kind]) => (block === text ? '' : this.close(block, kind))).join('');
    if (text === null || event.type !== 'text-start') return seam + ends + this.tell(this.placed(event));
    this.places.set(event.block, text);
    this.open.set(text, 'text');
    return seam + ends;
  }

  private close(block: number, kind: BlockKind): string {
    return this.writer?.write({ type: `${kind}-end`, choice: 0, block }) ?? '';
  }

  private placed(event: GenerationEvent): GenerationEvent {
    if (!('block' in event)) return event;
    return { ...event, block: this.places.get(event.block) ?? this.firstBlock + event.block };
  }

  private tell(event: GenerationEvent): string {
    this.note(event);
    return this.writer?.write(event) ?? '';
  }

  private note(event: GenerationEvent): void {
    if (event.type === 'finish' || ('choice' in event && event.choice !== 0)) this.isBound = true;
    if (!('block' in event)) return;
    this.nextBlock = Math.max(this.nextBlock, event.block + 1);
    if (event.type === 'text-delta') this.said += event.text;
    const kind = kindOf(event);
    if (kind === 'tool-call' || kind === 'refusal') this.isBound = true;
    if (event.type.endsWith('-end')) this.open.delete(event.block);
    else if (kind) this.open.set(event.block, kind);
  }
}

/** The kind of block that an event begins; null: it begins none. */
function kindOf({ type }: GenerationEvent): BlockKind | null {
  if (type === 'text-start') return 'text';
  if (type === 'reasoning-start') return 'reasoning';
  if (type === 'refusal-start') return 'refusal';
  return type === 'tool-call-start' ? 'tool-call' : null;
}

/** The text that was under way; null: none. */
function lastText(open: ReadonlyMap<number, BlockKind>): number | null {
  let last: number | null = null;
  for (const [block, kind] of open) if (kind === 'text') last = block;
  return last;
}
