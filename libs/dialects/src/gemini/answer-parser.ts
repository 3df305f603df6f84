import type { TokenUsage } from '@tollgate/contracts';
import type { AnswerParser, ParseContext } from '../canonical/codec';
import type { GenerationEvent } from '../canonical/generation-event';
import type { UpstreamError } from '../provider-dialect';
import { brokenAnswer } from '../upstream-error/broken-answer';
import { isRecord, recordIn } from '../wire/json-value';
import { CandidateReader, type CandidateContext } from './candidate-reader';
import { isBroken } from './finish-reason';
import { readErrorObject } from './read-error';
import { continuationSeal, resumedAnswer } from './long-answer';
import { ToolNames } from '../canonical/tool-names';
import { geminiNames } from './gemini-names';
import { served, servedTier, usedUnits } from '../canonical/served-terms';

/**
 * Reads the answers of generateContent and streamGenerateContent, whose chunks have one form and no mark of
 * the end. https://ai.google.dev/api/generate-content#generatecontentresponse
 */
export class GeminiAnswerParser implements AnswerParser {
  private readonly candidates = new Map<number, CandidateReader>();
  private readonly shared: CandidateContext;
  private readonly providerName: string;
  private usage: TokenUsage | null = null;
  /** What the candidates searched for. */
  private readonly searches = new Set<string>();
  private usesMaps = false;
  private started = false;
  private ended = false;

  constructor({ request, target, newId }: ParseContext) {
    let blocks = 0;
    const sealsText = (request.tools?.length ?? 0) > 0 || request.reasoning !== undefined;
    const before = resumedAnswer(request.messages, target, () => undefined).continuation?.used ?? 0;
    this.shared = {
      names: new ToolNames(request, geminiNames),
      nextBlock: () => blocks++,
      sealsText,
      newId,
      sealOf: (token, outputTokens) => continuationSeal({ token, used: before + outputTokens }, target),
    };
    this.providerName = target.provider.name;
  }

  /** Without `alt=sse`, and for errors, chunks come in an array. */
  onEvent(_name: string, value: unknown): GenerationEvent[] {
    if (this.ended) return [];
    if (Array.isArray(value)) return value.flatMap((chunk) => this.onEvent('', chunk));
    if (!isRecord(value)) return [];
    if (isRecord(value.error)) return this.failed(readErrorObject(value.error, this.providerName));
    const start = this.start(value);
    const events = [...start, ...this.blocked(value), ...this.candidatesOf(value)];
    return this.ended ? events : [...events, ...this.usageOf(value)];
  }

  onDocument(value: unknown): GenerationEvent[] {
    const events = this.onEvent('', value);
    if (this.ended) return events;
    const end = this.onClose();
    if (end.length > 0) return [...events, ...end];
    return this.failed(brokenAnswer(this.providerName, 'bad_answer', 'sent a document that is no whole answer'));
  }

  onClose(): GenerationEvent[] {
    const candidates = [...this.candidates.values()];
    if (this.ended || candidates.length === 0 || !candidates.every(({ isFinished }) => isFinished)) return [];
    this.ended = true;
    return [{ type: 'end' }];
  }

  /** Only Vertex AI tells the time. */
  private start({ responseId, modelVersion, createTime }: Record<string, unknown>): GenerationEvent[] {
    if (this.started) return [];
    this.started = true;
    const createdAtMs = typeof createTime === 'string' ? Date.parse(createTime) : NaN;
    return [
      {
        type: 'start',
        id: typeof responseId === 'string' ? responseId : null,
        model: typeof modelVersion === 'string' ? modelVersion : null,
        createdAtS: Number.isNaN(createdAtMs) ? null : Math.floor(createdAtMs / 1_000),
      },
    ];
  }

  /**
   * A prompt that was blocked has no candidates. It was an answer, and its input is counted.
   * https://ai.google.dev/api/generate-content#PromptFeedback
   */
  private blocked(chunk: Record<string, unknown>): GenerationEvent[] {
    const { blockReason } = recordIn(chunk, 'promptFeedback');
    if (typeof blockReason !== 'string' || this.candidates.size > 0) return [];
    return this.candidate(0)
      .finish(blockReason)
      .map((event) => (event.type === 'finish' ? { ...event, reason: 'content-filter' } : event));
  }

  private candidatesOf(chunk: Record<string, unknown>): GenerationEvent[] {
    const { candidates } = chunk;
    if (!Array.isArray(candidates)) return [];
    const events: GenerationEvent[] = [];
    for (const candidate of candidates.filter(isRecord)) {
      this.noteGrounding(recordIn(candidate, 'groundingMetadata'));
      const reader = this.candidate(typeof candidate.index === 'number' ? candidate.index : 0);
      const read = reader.read(candidate, readUsage(chunk.usageMetadata)?.output ?? this.usage?.output ?? 0);
      const { finishReason: raw } = candidate;
      if (typeof raw === 'string' && isBroken(raw)) {
        const what = `could not finish its answer (${raw})`;
        return [
          ...events,
          ...this.usageOf(chunk),
          ...this.failed(brokenAnswer(this.providerName, raw.toLowerCase(), what)),
        ];
      }
      events.push(...read);
    }
    return events;
  }

  private usageOf({ usageMetadata }: Record<string, unknown>): GenerationEvent[] {
    const told = readUsage(usageMetadata);
    if (told === null) return [];
    this.usage = withSearches(mergeUsage(this.usage, told), this.searches.size, this.usesMaps);
    return [{ type: 'usage', usage: this.usage }];
  }

  private noteGrounding({ webSearchQueries: queries, groundingChunks: chunks }: Record<string, unknown>): void {
    for (const query of Array.isArray(queries) ? queries : [])
      if (typeof query === 'string' && query.trim() !== '') this.searches.add(query);
    this.usesMaps ||= Array.isArray(chunks) && chunks.some((chunk) => isRecord(chunk) && isRecord(chunk.maps));
  }

  private candidate(index: number): CandidateReader {
    const known = this.candidates.get(index);
    if (known) return known;
    const reader = new CandidateReader(index, this.shared);
    this.candidates.set(index, reader);
    return reader;
  }

  private failed(error: UpstreamError): GenerationEvent[] {
    this.ended = true;
    return [{ type: 'error', error }];
  }
}

/**
 * Maps `usageMetadata` to ours; null when it counts nothing, as in the middle of Vertex AI's streams. What
 * was cached is part of `promptTokenCount`, what tools of Google's brought in is not, and thoughts are not
 * part of `candidatesTokenCount`. https://ai.google.dev/api/generate-content#UsageMetadata Tokens of images,
 * sound and video are told apart, on both sides: a model may have rates of their own for them
 * (https://ai.google.dev/gemini-api/docs/pricing).
 * The tier that served the request stands in `serviceTier`
 * (https://ai.google.dev/gemini-api/docs/priority-inference) or, at Vertex AI, in `trafficType`.
 */
function readUsage(metadata: unknown): TokenUsage | null {
  if (!isRecord(metadata)) return null;
  const input = count(metadata.promptTokenCount) + count(metadata.toolUsePromptTokenCount);
  const reasoning = count(metadata.thoughtsTokenCount);
  const output = count(metadata.candidatesTokenCount) + reasoning;
  if (input + output === 0) return null;
  const given = [metadata.promptTokensDetails, metadata.toolUsePromptTokensDetails];
  const inputOf = (modality: Modality): number =>
    Math.min(
      input,
      given.reduce((sum: number, details) => sum + tokensOf(modality, details), 0),
    );
  const outputOf = (modality: Modality): number =>
    Math.min(output, tokensOf(modality, metadata.candidatesTokensDetails));
  return {
    input,
    output,
    cachedInput: Math.min(input, count(metadata.cachedContentTokenCount)),
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    reasoning,
    audioInput: inputOf('AUDIO'),
    audioOutput: outputOf('AUDIO'),
    ...served({
      tier: servedTier(metadata.serviceTier) ?? servedTier(metadata.trafficType),
      imageInput: inputOf('IMAGE') || undefined,
      videoInput: inputOf('VIDEO') || undefined,
      imageOutput: outputOf('IMAGE') || undefined,
    }),
  };
}

/**
 * The larger of each count: every chunk of a stream counts again from the start, and some leave out what an
 * earlier one told.
 */
function mergeUsage(before: TokenUsage | null, now: TokenUsage): TokenUsage {
  if (before === null) return now;
  return {
    input: Math.max(before.input, now.input),
    output: Math.max(before.output, now.output),
    cachedInput: Math.max(before.cachedInput, now.cachedInput),
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    reasoning: Math.max(before.reasoning, now.reasoning),
    audioInput: Math.max(before.audioInput, now.audioInput),
    audioOutput: Math.max(before.audioOutput, now.audioOutput),
    ...served({ ...before.served, ...now.served }),
  };
}

/**
 * The usage with the searches of Google's that it took: from Gemini 3 on each query is charged, before that
 * the prompt that was grounded, however many queries it made; the model's price says which.
 * https://ai.google.dev/gemini-api/docs/google-search#pricing `maps`: places of Google Maps stand in the
 * answer, which has a price of its own. https://ai.google.dev/gemini-api/docs/maps-grounding
 */
function withSearches(usage: TokenUsage, queries: number, maps: boolean): TokenUsage {
  const units = usedUnits({ webSearch: queries, groundedPrompt: Math.min(1, queries), mapsPrompt: Number(maps) });
  return units === undefined ? usage : { ...usage, served: { ...usage.served, units } };
}

type Modality = 'AUDIO' | 'IMAGE' | 'VIDEO';

/** https://ai.google.dev/api/generate-content#ModalityTokenCount */
function tokensOf(modality: Modality, details: unknown): number {
  if (!Array.isArray(details)) return 0;
  return details.reduce(
    (sum: number, detail) => sum + (isRecord(detail) && detail.modality === modality ? count(detail.tokenCount) : 0),
    0,
  );
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
