import type { TokenUsage } from '@tollgate/contracts';
import { noUsage } from '@tollgate/contracts';
import type { AnswerReader, Translation, UpstreamTarget } from '../provider-dialect';
import { isRecord } from '../wire/json-value';
import { parseRequestJson } from '../wire/request-json';
import { AnswerEvents } from './answer-events';
import { DocumentPieces, streamPieces } from './answer-pieces';
import type { AnswerContext, ProviderCodec, SurfaceCodec } from './codec';
import { EventTally } from './event-tally';
import type { GenerationEvent } from './generation-event';
import { newId } from './new-id';
import { emptyRequest } from './pass-through';
import { ReaderAround } from './reader-around';
import { withSeen } from './served-terms';
import { answerWriter } from './translated-answer-reader';

/**
 * How far an answer may go beyond its caller's limit before it is cut. Providers count in tokens of their
 * own, so it is cut only where no tokenizer in use could take it for as short: at more than eight of ours for
 * each of theirs, of which each is worth four characters at least (scripts that ours does not know well make
 * more), and a thousand for what surrounds a short answer.
 */
const tokensForOne = 8;
const tokensBeside = 1_024;
const charactersOfOne = 4;

/** The most tokens, by our own tokenizer, that an answer with this limit is let have. */
export function mostTokens(maxOutputTokens: number): number {
  return maxOutputTokens * tokensForOne + tokensBeside;
}

/** So much is read at once where an answer is near its end: bytes. */
const pieceBytes = 8 * 1024;
/** A count by tokenizer is made again when the answer is by so much longer. */
const growth = 1.25;

/**
 * A translation whose answers end where they are beyond their caller's limit for certain, as one that reached
 * it.
 */
export function withOutputLimit(translation: Translation, surface: SurfaceCodec, own: ProviderCodec): Translation {
  return {
    ...translation,
    prepare: (body, target, options) => {
      const prepared = translation.prepare(body, target, options);
      const { maxOutputTokens, includeUsage } = options;
      if (maxOutputTokens == null) return prepared;
      const answerReader = (): AnswerReader => {
        const whole = new TranslatedAnswer(surface, own, body, target, includeUsage);
        const countInput = (): number => translation.countInputTokens(body);
        return new LimitedReader(prepared.answerReader(), mostTokens(maxOutputTokens), whole, countInput);
      };
      return { ...prepared, answerReader };
    },
  };
}

/** An answer that came in one piece. */
export interface WholeAnswer {
  /**
   * Cut at so many tokens, with what `usageOf` makes of the tokens that are left. Null: it is not beyond them
   * for certain.
   */
  shortened(bytes: Uint8Array, most: number, usageOf: (output: number) => TokenUsage): ShortenedAnswer | null;
}

interface ShortenedAnswer {
  bytes: Uint8Array;
  usage: TokenUsage;
}

/** Watches the length of an answer that another reader reads. */
export class LimitedReader extends ReaderAround {
  private wasCut = false;
  private cutUsage: TokenUsage | null = null;
  private received = 0;
  /** Characters from which on it is counted. */
  private countedFrom: number;

  constructor(
    inner: AnswerReader,
    /** Tokens that are let through. */
    private readonly most: number,
    private readonly whole: WholeAnswer,
    private readonly countInput: () => number,
  ) {
    super(inner);
    this.countedFrom = most * charactersOfOne;
  }

  override get usage(): TokenUsage | null {
    return this.cutUsage ?? super.usage;
  }

  override get isCut(): boolean {
    return this.wasCut;
  }

  override outputTokensSeen(): number {
    return this.cutUsage?.output ?? super.outputTokensSeen();
  }

  override push(bytes: Uint8Array): Uint8Array {
    this.received += bytes.length;
    // What is shorter than that on the wire is no longer as text.
    if (this.received <= this.countedFrom) return this.inner.push(bytes);
    const out: Uint8Array[] = [];
    for (let at = 0; at < bytes.length && !this.wasCut; at += pieceBytes) {
      out.push(this.inner.push(bytes.subarray(at, at + pieceBytes)));
      if (this.inner.state === 'flowing' && this.isBeyond()) out.push(this.endHere());
    }
    const left = out.length === 1 && out[0] ? out[0] : Buffer.concat(out);
    // A stream that is gathered is whole before it is over.
    const isGathered = left.length > 0 && !this.wasCut && this.outputLength === 0;
    return isGathered ? (this.shortened([left]) ?? left) : left;
  }

  override end(): Uint8Array {
    return Buffer.concat(this.endInPieces());
  }

  override endInPieces(): readonly Uint8Array[] {
    if (this.wasCut) return [];
    const length = this.outputLength;
    const out = super.endInPieces();
    // Of a stream that ended by itself most has left.
    const shortened = length === 0 ? this.shortened(out) : null;
    return shortened === null ? out : [shortened];
  }

  /** An answer that left in one piece, cut. Null: it did not, or is not beyond its limit for certain. */
  private shortened(out: readonly Uint8Array[]): Uint8Array | null {
    const isWhole = this.received > this.countedFrom && this.inner.state === 'complete';
    if (!isWhole || this.inner.outputTokensSeen() <= this.most) return null;
    const shortened = this.whole.shortened(Buffer.concat(out), this.most, (output) => this.usageOf(output));
    if (shortened === null) return null;
    this.wasCut = true;
    this.cutUsage = shortened.usage;
    return shortened.bytes;
  }

  private isBeyond(): boolean {
    const length = this.outputLength;
    if (length <= this.countedFrom) return false;
    this.countedFrom = length * growth;
    return this.inner.outputTokensSeen() > this.most;
  }

  private endHere(): Uint8Array {
    this.cutUsage = this.usageOf(this.inner.outputTokensSeen());
    this.wasCut = true;
    return this.inner.cut?.(this.cutUsage) ?? new Uint8Array(0);
  }

  private usageOf(output: number): TokenUsage {
    const { usage } = this.inner;
    const told = withSeen(usage ?? { ...noUsage, input: this.countInput() }, this.inner.served);
    return { ...told, output, reasoning: Math.min(told.reasoning, output) };
  }
}

/**
 * An answer that came in one piece, in the caller's own dialect and form: read into events, and written
 * again.
 */
class TranslatedAnswer implements WholeAnswer {
  constructor(
    private readonly surface: SurfaceCodec,
    private readonly own: ProviderCodec,
    private readonly body: Uint8Array,
    private readonly target: UpstreamTarget,
    private readonly includeUsage: boolean,
  ) {}

  shortened(bytes: Uint8Array, most: number, usageOf: (output: number) => TokenUsage): ShortenedAnswer | null {
    const within = tokensWithin(this.read(bytes), most);
    if (!within) return null;
    const usage = usageOf(within.tokens);
    return { bytes: this.write(within.events, usage), usage };
  }

  private read(bytes: Uint8Array): GenerationEvent[] {
    const { own, target } = this;
    const parser = own.answerParser({ request: this.request, target, newId });
    const events = new AnswerEvents(parser, target.provider.name);
    const pieces = target.stream ? streamPieces('sse', events) : new DocumentPieces(events);
    return [...pieces.push(bytes), ...pieces.end()];
  }

  private write(events: readonly GenerationEvent[], usage: TokenUsage): Uint8Array {
    const parsed = parseRequestJson(this.body);
    const context: AnswerContext = {
      request: this.request,
      body: isRecord(parsed) ? parsed : {},
      includeUsage: this.includeUsage,
      model: this.target.model.id,
      newId,
      nowS: Math.floor(Date.now() / 1000),
    };
    const writer = answerWriter(this.surface, context);
    const write = (event: GenerationEvent): string =>
      (event.type === 'end' ? writer.write({ type: 'usage', usage }) : '') + writer.write(event);
    return Buffer.from(events.map(write).join(''));
  }

  private get request(): ReturnType<typeof emptyRequest> {
    return emptyRequest(this.surface.name, this.target.stream);
  }
}

/**
 * The events up to a limit, without usage, and the tokens of what is left. Null: they are not beyond it for
 * certain.
 */
function tokensWithin(
  events: readonly GenerationEvent[],
  most: number,
): { events: GenerationEvent[]; tokens: number } | null {
  const tally = new EventTally();
  for (const event of events) if (event.type !== 'reasoning-delta') tally.add(event);
  const characters = charactersWithin(tally.length.value, tally.tokens(), most);
  if (characters === null) return null;
  const kept = [...firstCharacters(events, characters)];
  const left = new EventTally();
  for (const event of kept) left.add(event);
  return { events: kept, tokens: left.tokens() };
}

/**
 * How many of an answer's characters are within so many tokens. Null: all of them, for all that is certain.
 */
export function charactersWithin(characters: number, tokens: number, most: number): number | null {
  const share = most / Math.min(tokens, characters / charactersOfOne);
  return share >= 1 ? null : Math.floor(characters * share);
}

/**
 * The events of the first so many characters, thoughts apart; a choice that loses some has reached its limit.
 */
function* firstCharacters(events: readonly GenerationEvent[], characters: number): Generator<GenerationEvent> {
  let room = characters;
  const cut = new Set<number>();
  const left = new Set<number>();
  for (const event of events) {
    if (event.type === 'usage') continue;
    if (event.type === 'finish' && cut.has(event.choice)) yield { ...event, reason: 'length' };
    else if (!('block' in event)) yield event;
    else if (room === 0 && event.type.endsWith('-start')) {
      left.add(event.block);
      cut.add(event.choice);
    } else if (!left.has(event.block)) {
      const length = lengthOf(event);
      if (length > room) cut.add(event.choice);
      yield length > room ? shortened(event, room) : event;
      room -= Math.min(length, room);
    }
  }
}

function lengthOf(event: GenerationEvent): number {
  if (event.type === 'text-delta' || event.type === 'refusal-delta') return event.text.length;
  return event.type === 'tool-call-delta' ? event.arguments.length : 0;
}

/** The first so many characters; half a character of two units is none. */
export function firstOf(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

/** Log probabilities would tell what is left out. */
function shortened(event: GenerationEvent, length: number): GenerationEvent {
  if (event.type === 'tool-call-delta') return { ...event, arguments: firstOf(event.arguments, length) };
  if (event.type !== 'text-delta' && event.type !== 'refusal-delta') return event;
  const { type, choice, block, text } = event;
  return { type, choice, block, text: firstOf(text, length) };
}
