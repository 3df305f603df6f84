import type { ServedTerms, TokenUsage } from '@tollgate/contracts';
import { served, servedTier, servedWord, usedUnits } from '../canonical/served-terms';
import { isRecord, recordIn } from '../wire/json-value';

/**
 * Usage as it comes over a stream: `message_start` tells the input, `message_delta` the totals so far, and
 * each may leave out what the other told.
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export class UsageReader {
  private members: Record<string, unknown> = {};

  /** `model`: the provider's name of the model that was asked. */
  constructor(private readonly model: string) {}

  /** Takes a `usage` object; what it does not tell stays as it was. Null: nothing was told yet. */
  add(usage: unknown): TokenUsage | null {
    if (!isRecord(usage)) return null;
    const told = Object.entries(usage).filter(([, value]) => value !== null && value !== undefined);
    this.members = { ...this.members, ...Object.fromEntries(told) };
    return told.length === 0 ? null : this.read();
  }

  private read(): TokenUsage {
    const usage = this.members;
    const attempts = billedIterations(usage.iterations);
    const counts = attempts ? sumOf(attempts.map(countsOf)) : countsOf(usage);
    const told = count(recordIn(usage, 'output_tokens_details').thinking_tokens);
    return {
      ...counts,
      reasoning: Math.min(counts.output, told),
      audioInput: 0,
      audioOutput: 0,
      ...served({
        tier: servedTier(usage.service_tier),
        speed: unusual(usage.speed, ['standard']),
        region: unusual(usage.inference_geo, ['global', 'not_available']),
        units: serverTools(recordIn(usage, 'server_tool_use')),
        parts: this.partsOf(attempts ?? []),
      }),
    };
  }

  /**
   * What is rated apart from the rest: samplings of other models (the advisor, or the one that answered for a
   * model that declined), and all but the last of the model's own, since the steps of a price go by the
   * prompt of one sampling.
   */
  private partsOf(attempts: readonly Record<string, unknown>[]): ServedTerms['parts'] {
    const nameOf = ({ model }: Record<string, unknown>): string => (typeof model === 'string' ? model : this.model);
    const rest = attempts.findLast((attempt) => isSameModel(nameOf(attempt), this.model));
    const parts = attempts.filter((attempt) => attempt !== rest);
    return parts.length === 0 ? undefined : parts.map((part) => ({ model: nameOf(part), ...countsOf(part) }));
  }
}

/** Whether two of a provider's names are of one model, which may have the day of its snapshot behind it. */
function isSameModel(one: string, other: string): boolean {
  return withoutSnapshotDay(one) === withoutSnapshotDay(other);
}

/**
 * A provider's name of a Claude without the day of its snapshot: `claude-opus-4-5-20251101`, at Vertex
 * `claude-opus-4-5@20251101`.
 */
export function withoutSnapshotDay(name: string): string {
  return name.replace(/[-@]20\d{6}$/, '');
}

type Counts = Pick<TokenUsage, 'input' | 'output' | 'cachedInput' | 'cacheWrite5m' | 'cacheWrite1h'>;

/**
 * The samplings of which a request was made, where it tells them: they are the record of what is billed, and
 * the members beside them only tell of some. Null: it was one. An attempt that declined before any output,
 * for which another model answered, is told and not billed.
 * https://platform.claude.com/docs/en/build-with-claude/compaction-threshold
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/advisor-tool
 * https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback
 */
function billedIterations(told: unknown): Record<string, unknown>[] | null {
  const iterations = Array.isArray(told) ? told.filter(isRecord) : [];
  if (iterations.length === 0) return null;
  const lastFallback = iterations.findLastIndex(({ type }) => type === 'fallback_message');
  return iterations.filter((iteration, index) => index >= lastFallback || count(iteration.output_tokens) > 0);
}

/**
 * Anthropic counts what comes from the cache and what goes into it beside `input_tokens`; here input includes
 * both.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching#tracking-cache-performance
 */
function countsOf(usage: Record<string, unknown>): Counts {
  const written = count(usage.cache_creation_input_tokens);
  const cacheWrite1h = count(recordIn(usage, 'cache_creation').ephemeral_1h_input_tokens);
  const told5m = count(recordIn(usage, 'cache_creation').ephemeral_5m_input_tokens);
  // Without the breakdown all writes have the default lifetime, 5 minutes.
  const cacheWrite5m = Math.max(told5m, written - cacheWrite1h);
  const cachedInput = count(usage.cache_read_input_tokens);
  return {
    input: count(usage.input_tokens) + cachedInput + cacheWrite5m + cacheWrite1h,
    output: count(usage.output_tokens),
    cachedInput,
    cacheWrite5m,
    cacheWrite1h,
  };
}

function sumOf(all: readonly Counts[]): Counts {
  const sum = (kind: keyof Counts): number => all.reduce((total, one) => total + one[kind], 0);
  return {
    input: sum('input'),
    output: sum('output'),
    cachedInput: sum('cachedInput'),
    cacheWrite5m: sum('cacheWrite5m'),
    cacheWrite1h: sum('cacheWrite1h'),
  };
}

/** https://platform.claude.com/docs/en/about-claude/pricing#specific-tool-pricing */
function serverTools(told: Record<string, unknown>): ServedTerms['units'] {
  return usedUnits({
    webSearch: count(told.web_search_requests),
    webFetch: count(told.web_fetch_requests),
    codeExecution: count(told.code_execution_requests),
  });
}

/**
 * https://platform.claude.com/docs/en/build-with-claude/fast-mode
 * https://platform.claude.com/docs/en/build-with-claude/data-residency
 */
function unusual(told: unknown, usual: readonly string[]): string | undefined {
  const word = servedWord(told);
  return word === undefined || usual.includes(word) ? undefined : word;
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
