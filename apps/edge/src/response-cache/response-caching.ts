import { Injectable } from '@nestjs/common';
import type { CallerKey, GenerationHead } from '@tollgate/contracts';
import type { SurfaceDialect } from '@tollgate/dialects/surface';
import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from '../generation/answer';
import { Clock } from '../clock';
import { EdgeMetrics } from '../health/edge-metrics';
import type { RequestContext } from '../http/request-context';
import { Settings } from '../settings';
import { cacheName } from './cache-name';
import type { CacheQuestion } from './cache-name';
import { cacheWish } from './cache-wish';
import type { CacheWish } from './cache-wish';
import { keepAnswer } from './kept-answer';
import type { KeptAnswer } from './kept-answer';
import { RecordingAnswer } from './recording-answer';
import { ResponseCache } from './response-cache';
import type { CachedAt } from './response-cache';

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
