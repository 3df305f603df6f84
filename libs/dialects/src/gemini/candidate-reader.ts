import type { Citation, GenerationEvent, TokenLogprob } from '../canonical/generation-event';
import type { ReasoningSeal } from '../canonical/generation-request';
import type { ToolNames } from '../canonical/tool-names';
import { isRecord, recordIn } from '../wire/json-value';
import { finishReason } from './finish-reason';

/** What the candidates of one answer share. */
export interface CandidateContext {
  names: ToolNames;
  nextBlock: () => number;
  /**
   * False: the signatures of texts are left out. Callers who asked for neither tools nor reasoning expect an
   * answer to be text alone, and Google does not insist on these.
   */
  sealsText: boolean;
  /** An id for a call that came without one. */
  newId: () => string;
  /** A token with which the answer can go on, as callers bring it back. */
  sealOf: (continuationToken: string, outputTokens: number) => ReasoningSeal;
}

/**
 * Reads one candidate of an answer, piece by piece. Parts have no start and no end: a part of another kind
 * than the one before begins a new block, and a call is always whole.
 * https://ai.google.dev/api/generate-content#candidate
 */
export class CandidateReader {
  isFinished = false;
  private open: { kind: 'text' | 'reasoning'; block: number } | null = null;
  /** Signatures of the text that is open. */
  private seals: ReasoningSeal[] = [];
  private hasCalled = false;
  private readonly cited = new Set<string>();

  constructor(
    private readonly choice: number,
    private readonly context: CandidateContext,
  ) {}

  /** `outputTokens`: of the answer so far, as it came with this piece. */
  read(candidate: Record<string, unknown>, outputTokens: number): GenerationEvent[] {
    const { parts } = recordIn(candidate, 'content');
    const read = Array.isArray(parts) ? parts.filter(isRecord).flatMap((part) => this.part(part)) : [];
    const events = this.withLogprobs(read, readLogprobs(candidate.logprobsResult));
    const citations = this.citations(candidate);
    const { finishReason: raw, continuationToken: token } = candidate;
    const isOver = typeof raw === 'string' && raw !== 'FINISH_REASON_UNSPECIFIED';
    if (!isOver) return [...events, ...citations];
    const canGoOn = typeof token === 'string' && token !== '' && finishReason(raw) === 'length';
    const goesOn = canGoOn ? [...this.close(), ...this.sealed(this.context.sealOf(token, outputTokens))] : [];
    return [...events, ...citations, ...goesOn, ...this.finish(raw)];
  }

  /** Gemini stops with STOP also for calls. */
  finish(raw: string): GenerationEvent[] {
    this.isFinished = true;
    const reason = finishReason(raw);
    const called = reason === 'stop' && this.hasCalled;
    return [...this.close(), { type: 'finish', choice: this.choice, reason: called ? 'tool-calls' : reason, raw }];
  }

  private part({ text, thought, functionCall, thoughtSignature }: Record<string, unknown>): GenerationEvent[] {
    const seal =
      typeof thoughtSignature === 'string' && thoughtSignature !== ''
        ? { dialect: 'gemini' as const, kind: 'signature' as const, value: thoughtSignature }
        : null;
    if (isRecord(functionCall)) return this.call(functionCall, seal);
    const said = typeof text === 'string' ? text : '';
    return thought === true ? this.thought(said, seal) : this.text(said, this.context.sealsText ? seal : null);
  }

  private call({ id, name, args }: Record<string, unknown>, signature: ReasoningSeal | null): GenerationEvent[] {
    if (typeof name !== 'string') return [];
    this.hasCalled = true;
    const closed = this.close();
    const at = { choice: this.choice, block: this.context.nextBlock() };
    const called = typeof id === 'string' && id !== '' ? id : this.context.newId();
    const signed = signature ? { signature } : {};
    return [
      ...closed,
      { type: 'tool-call-start', ...at, id: called, name: this.context.names.from(name), ...signed },
      { type: 'tool-call-delta', ...at, arguments: JSON.stringify(args ?? {}) },
      { type: 'tool-call-end', ...at },
    ];
  }

  private thought(text: string, seal: ReasoningSeal | null): GenerationEvent[] {
    if (text === '' && seal === null) return [];
    const { events, at } = this.begin('reasoning');
    const said: GenerationEvent[] = text === '' ? events : [...events, { type: 'reasoning-delta', ...at, text }];
    if (seal === null) return said;
    this.open = null;
    return [...said, { type: 'reasoning-end', ...at, seal }];
  }

  /** A signed text without words signs the text before it. */
  private text(text: string, seal: ReasoningSeal | null): GenerationEvent[] {
    if (text === '') {
      if (seal === null) return [];
      if (this.open?.kind !== 'text') return [...this.close(), ...this.sealed(seal)];
      this.seals.push(seal);
      return [];
    }
    const { events, at } = this.begin('text');
    if (seal !== null) this.seals.push(seal);
    return [...events, { type: 'text-delta', ...at, text }];
  }

  private begin(kind: 'text' | 'reasoning'): { events: GenerationEvent[]; at: { choice: number; block: number } } {
    const { choice } = this;
    if (this.open?.kind === kind) return { events: [], at: { choice, block: this.open.block } };
    const closed = this.close();
    this.open = { kind, block: this.context.nextBlock() };
    const at = { choice, block: this.open.block };
    return { events: [...closed, { type: `${kind}-start`, ...at }], at };
  }

  private close(): GenerationEvent[] {
    const { open, seals } = this;
    this.open = null;
    this.seals = [];
    if (open === null) return [];
    return [
      { type: `${open.kind}-end`, choice: this.choice, block: open.block },
      ...seals.flatMap((seal) => this.sealed(seal)),
    ];
  }

  /** The signature of a text has a block of its own behind it: reasoning without words. */
  private sealed(seal: ReasoningSeal): GenerationEvent[] {
    const at = { choice: this.choice, block: this.context.nextBlock() };
    return [
      { type: 'reasoning-start', ...at },
      { type: 'reasoning-end', ...at, seal },
    ];
  }

  /** Gives the probabilities of a piece to its first text, or to the text that is open. */
  private withLogprobs(events: GenerationEvent[], logprobs: TokenLogprob[]): GenerationEvent[] {
    if (logprobs.length === 0) return events;
    const first = events.find((event) => event.type === 'text-delta');
    if (first) return events.map((event) => (event === first ? { ...first, logprobs } : event));
    if (this.open?.kind !== 'text') return events;
    return [...events, { type: 'text-delta', choice: this.choice, block: this.open.block, text: '', logprobs }];
  }

  /** Later pieces repeat the sources of earlier ones. */
  private citations(candidate: Record<string, unknown>): GenerationEvent[] {
    const { open } = this;
    if (open?.kind !== 'text') return [];
    return readCitations(candidate).flatMap((citation) => {
      const key = JSON.stringify(citation.original);
      if (this.cited.has(key)) return [];
      this.cited.add(key);
      return [{ type: 'citation' as const, choice: this.choice, block: open.block, citation }];
    });
  }
}

/**
 * Reads a candidate's `logprobsResult`; empty when it has none. Gemini tells no bytes.
 * https://ai.google.dev/api/generate-content#LogprobsResult
 */
function readLogprobs(result: unknown): TokenLogprob[] {
  if (!isRecord(result) || !Array.isArray(result.chosenCandidates)) return [];
  const alternatives: unknown[] = Array.isArray(result.topCandidates) ? result.topCandidates : [];
  return result.chosenCandidates.flatMap((chosen: unknown, index) => {
    const token = readToken(chosen);
    const step = alternatives[index];
    const top = isRecord(step) && Array.isArray(step.candidates) ? step.candidates.flatMap(readToken) : [];
    return token.map((read) => ({ ...read, top }));
  });
}

function readToken(value: unknown): { token: string; logprob: number; bytes: null }[] {
  if (!isRecord(value) || typeof value.token !== 'string' || typeof value.logProbability !== 'number') return [];
  return [{ token: value.token, logprob: value.logProbability, bytes: null }];
}

/**
 * The sources that a candidate names: what it recites (`citationSources`, at Vertex AI `citations`), and what
 * Google's own tools found.
 * https://ai.google.dev/api/generate-content#CitationMetadata
 * https://ai.google.dev/api/generate-content#GroundingMetadata
 */
function readCitations(candidate: Record<string, unknown>): Citation[] {
  const recited = recordIn(candidate, 'citationMetadata');
  const found = recordIn(candidate, 'groundingMetadata').groundingChunks;
  return [
    ...records(recited.citationSources ?? recited.citations).map((source) => citation(source, source)),
    ...records(found).map((chunk) => citation(chunk, sourceOf(chunk))),
  ];
}

/** A chunk names its source by its kind: web, retrievedContext or maps. */
function sourceOf(chunk: Record<string, unknown>): Record<string, unknown> {
  return Object.values(chunk).find(isRecord) ?? {};
}

function citation(original: Record<string, unknown>, { uri, title }: Record<string, unknown>): Citation {
  return {
    dialect: 'gemini',
    url: typeof uri === 'string' ? uri : null,
    title: typeof title === 'string' ? title : null,
    original,
  };
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
