import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { GatewayError } from '@tollgate/contracts';
import type { CallerKey } from '@tollgate/contracts/accounts';
import type { GenerationHead } from '@tollgate/contracts/inference';
import type { SurfaceDialect, ToldCost } from '@tollgate/dialects/surface';
import { Clock } from '../clock';
import type { Answer } from '../generation/answer';
import { EdgeMetrics } from '../edge-metrics';
import type { RequestContext } from '../http/request-context';
import { Settings } from '../settings';
import { cacheName } from './cache-name';
import type { CacheQuestion } from './cache-name';
import { keepAnswer } from './kept-answer';
import type { KeptAnswer } from './kept-answer';
import { ResponseCache } from './response-cache';
import type { CachedAt } from './response-cache';

/**
 * What a request wants of the response cache. `isRefresh`: no kept answer is wanted, and the new one is kept.
 * `ttlMs`: for how long.
 */
interface CacheWish {
  readonly isRefresh: boolean;
  readonly ttlMs: number;
}

/** Seconds that an answer is kept for unless a key or a request says so, and at most. */
interface CacheTimes {
  readonly ttlS: number;
  readonly maxTtlS: number;
}

const modes = new Set(['on', 'off', 'refresh']);

/** What the cache has for a request: an answer, or a place for one. */
export interface CachePlace {
  readonly kept: KeptAnswer | null;
  /** An answer that does what `answer` does, and fills the place. */
  record(answer: Answer): Answer;
}

/** A request that may be served from the cache. */
interface Cacheable extends Omit<CacheQuestion, 'accountId' | 'surface' | 'rules' | 'bodyDigest'> {
  readonly key: CallerKey;
  readonly surface: SurfaceDialect;
  readonly stream: boolean;
  /** Stands for the guardrails of the answer; asked only when the cache is. */
  readonly rules: () => string;
  readonly bodyDigest: () => string;
  /** See SurfaceDialect.keepsState. */
  readonly keepsState: () => boolean;
}

/**
 * Answers that were given before, for requests that ask for it, or whose key does. Without such a request it
 * does nothing.
 */
@Injectable()
export class ResponseCaching {
  private readonly cache: ResponseCache;

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly metrics: EdgeMetrics,
  ) {
    this.cache = new ResponseCache(settings.cache.memory);
    metrics.watchCache(() => this.cache.bytes);
  }

  /**
   * What a request wants of the cache; null: nothing.
   * @throws GatewayError 400 for a header that cannot be read.
   */
  wishOf(headers: IncomingHttpHeaders, key: CallerKey): CacheWish | null {
    return this.settings.cache.memory === 0 ? null : cacheWish(headers, key, this.settings.cache);
  }

  /**
   * What the cache has for a request. The header `x-tollgate-cache` tells the caller. Null: nothing, and it
   * takes nothing.
   */
  placeOf(wish: CacheWish, request: Cacheable, context: RequestContext): CachePlace | null {
    if (request.keepsState()) return this.told('bypass', context);
    const { accountId } = request.key;
    const surface = request.surface.name;
    const question = { ...request, accountId, surface, rules: request.rules(), bodyDigest: request.bodyDigest() };
    const at = { accountId, name: cacheName(this.settings.pepper, question) };
    const found = wish.isRefresh ? null : this.cache.find(at, this.clock.monotonicMs());
    this.told(found ? 'hit' : wish.isRefresh ? 'refresh' : 'miss', context);
    if (found) context.tell({ age: String(Math.floor(found.ageMs / 1_000)) });
    return { kept: found?.answer ?? null, record: (answer) => this.recording(answer, at, wish.ttlMs, request) };
  }

  /** What another model answered in the place of the one that was asked is not kept: that one may be back. */
  private recording(answer: Answer, at: CachedAt, ttlMs: number, { model, surface, stream }: Cacheable): Answer {
    return new RecordingAnswer(answer, this.settings.cache.entryLimit, (head: GenerationHead, bytes) => {
      if (head.headers['x-gateway-model'] !== model) return;
      const kept = keepAnswer(head, bytes, stream, (first) => surface.answerId(first));
      this.cache.keep(at, kept, this.clock.monotonicMs(), ttlMs);
    });
  }

  private told(result: 'hit' | 'miss' | 'refresh' | 'bypass', context: RequestContext): null {
    this.metrics.cacheAsked(result);
    context.tell({ 'x-tollgate-cache': result });
    return null;
  }
}

/**
 * What a request wants, by its headers, else by its key; null: nothing, which is what most want.
 * @throws GatewayError 400 for a header that says something else.
 */
export function cacheWish(
  headers: IncomingHttpHeaders,
  { cacheTtlS }: Pick<CallerKey, 'cacheTtlS'>,
  times: CacheTimes,
): CacheWish | null {
  const mode = headers['x-tollgate-cache'];
  if (mode === undefined && cacheTtlS === null) return null;
  if (mode !== undefined && (typeof mode !== 'string' || !modes.has(mode)))
    throw new GatewayError(400, "The header 'x-tollgate-cache' must be on, off or refresh.");
  if (mode === 'off') return null;
  const ttlS = askedTtlS(headers) ?? cacheTtlS ?? times.ttlS;
  return { isRefresh: mode === 'refresh', ttlMs: Math.min(ttlS, times.maxTtlS) * 1_000 };
}

function askedTtlS(headers: IncomingHttpHeaders): number | null {
  const asked = headers['x-tollgate-cache-ttl'];
  if (asked === undefined) return null;
  if (typeof asked !== 'string' || !/^[1-9]\d{0,8}$/.test(asked))
    throw new GatewayError(400, "The header 'x-tollgate-cache-ttl' must be a whole number of seconds, of at least 1.");
  return Number(asked);
}

/**
 * Hands an answer on to its caller and gathers its bytes beside that. Only one that succeeded as a whole, and
 * is not larger than `limit` bytes, is told to `keep`.
 */
class RecordingAnswer implements Answer {
  private pieces: Uint8Array[] | null = [];
  private gathered = 0;
  private headOfAnswer: GenerationHead | null = null;

  constructor(
    private readonly answer: Answer,
    private readonly limit: number,
    private readonly keep: (head: GenerationHead, bytes: Buffer) => void,
  ) {}

  head(head: GenerationHead): void {
    this.headOfAnswer = head;
    this.answer.head(head);
  }

  data(bytes: Uint8Array): void {
    this.gathered += bytes.length;
    if (this.gathered > this.limit) this.pieces = null;
    // A copy: the bytes lie in a larger message, which would be kept with them.
    this.pieces?.push(Uint8Array.from(bytes));
    this.answer.data(bytes);
  }

  end(cost?: ToldCost): void | Promise<void> {
    const { pieces, headOfAnswer } = this;
    if (pieces && headOfAnswer?.status === 200) this.keep(headOfAnswer, Buffer.concat(pieces, this.gathered));
    return this.answer.end(cost);
  }

  fail(error: GatewayError, headers: Record<string, string>): void {
    this.pieces = null;
    this.answer.fail(error, headers);
  }

  tick(nowMs: number): void {
    this.answer.tick(nowMs);
  }
}
