import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { countBySample } from '@tollgate/dialects/surface';
import { planAnswer } from '../answer/plan-answer';
import type { PlannedChoices } from '../answer/planned-answer';
import type { Behaviour } from '../behaviour/behaviour';
import { controlsInText, readBehaviour, splitModel, withoutControls } from '../behaviour/read-behaviour';
import { tokensInJson } from '../request/input-text';
import type { NeutralRequest } from '../request/neutral-request';
import { readRecord } from '../request/record';
import type { Addressed, Dialect, SpokenUsage } from './simulated-dialect';

const mostPrefixes = 10_000;

/** Remembers which beginnings of prompts each model has seen, as a provider's prompt cache does. */
export class PromptCache {
  private readonly kept = new Set<string>();

  /**
   * How many of these parts are known as the beginning of an earlier prompt. All of them are from now on; the
   * oldest beginnings go when there are too many.
   */
  keep(model: string, parts: readonly string[]): number {
    let known = 0;
    let key = model;
    for (const [index, part] of parts.entries()) {
      key = createHash('sha256').update(key).update(part).digest('base64');
      if (this.kept.has(key)) known = index + 1;
    }
    this.kept.add(key);
    const [oldest] = this.kept;
    if (this.kept.size > mostPrefixes && oldest !== undefined) this.kept.delete(oldest);
    return known;
  }
}

/** The behaviour without controls. */
export const DEFAULT_BEHAVIOUR = Symbol('default behaviour');

/** Load tests send the same body over and over; only short ones are kept. */
const mostKept = 1_000;
const longestKeptBytes = 16 * 1024;
/**
 * The tokens of a larger body are counted by a sample: a megabyte of letters without words would hold up for
 * six seconds whoever else asks this process, which no provider does.
 */
const longestCountedBytes = 512 * 1024;

/** A request that was understood, and everything that is decided before the first byte of its answer. */
export interface Heard {
  request: NeutralRequest;
  /** The model's name without controls. */
  model: string;
  behaviour: Behaviour;
  choices: PlannedChoices;
  usage: SpokenUsage;
}

/** Turns requests into planned answers; the same request gives the same plan without being read again. */
@Injectable()
export class Hearing {
  private readonly kept = new Map<string, Heard>();
  private readonly promptCache = new PromptCache();

  constructor(@Inject(DEFAULT_BEHAVIOUR) private readonly defaults: Behaviour) {}

  /** `headerControls`: those in the request's headers. @throws Refusal, ControlError */
  hear(dialect: Dialect, addressed: Addressed, body: Buffer, headerControls: string): Heard {
    if (headerControls !== '' || body.length > longestKeptBytes)
      return this.plan(dialect, addressed, body, headerControls);
    const { path, model, query, version, betas, provider, account = '' } = addressed;
    const place = `${dialect.name} ${path} ${model} ${query} ${version} ${betas} ${provider} ${account}`;
    const key = `${place} ${body.toString('latin1')}`;
    const known = this.kept.get(key);
    if (known) return known;
    const heard = this.plan(dialect, addressed, body, '');
    // What a cache gives changes from one request to the next.
    if (heard.request.cached !== null) return heard;
    if (this.kept.size >= mostKept) this.kept.clear();
    this.kept.set(key, heard);
    return heard;
  }

  private plan(dialect: Dialect, addressed: Addressed, body: Buffer, headerControls: string): Heard {
    const read = () => dialect.read(readRecord(body), addressed);
    const asked = body.length > longestCountedBytes ? countBySample(body.length, read) : read();
    const { name, controls } = splitModel(asked.model);
    const texts = [controls, headerControls, controlsInText(asked.userText)];
    const behaviour = readBehaviour(this.defaults, texts);
    const request = answeredFor(servedAt(asked, behaviour.tier), behaviour);
    const { answeredBy = null } = request;
    const finish = answeredBy === null ? behaviour.finish : null;
    const choices = planAnswer(request, withoutControls(request.userText), { ...behaviour, finish });
    return { request, model: name, behaviour, choices, usage: this.usageOf(request, answeredBy ?? name, choices) };
  }

  private usageOf(request: NeutralRequest, model: string, choices: PlannedChoices): SpokenUsage {
    const { inputTokens, cached } = request;
    const known = cached === null ? 0 : this.promptCache.keep(model, cached);
    const tokensOf = (parts: readonly string[]) => tokensInJson(parts.join(''));
    const cacheReadTokens = cached === null ? 0 : Math.min(tokensOf(cached.slice(0, known)), inputTokens);
    const cacheWriteTokens =
      cached === null || request.writesForNothing === true
        ? 0
        : Math.min(tokensOf(cached.slice(known)), inputTokens - cacheReadTokens);
    const written = cached?.slice(known, Math.max(known, request.cachedForHours ?? 0)) ?? [];
    const cacheWrite1hTokens = Math.min(tokensOf(written), cacheWriteTokens);
    return {
      inputTokens,
      audioInputTokens: request.audioInputTokens ?? 0,
      cacheReadTokens,
      cacheWriteTokens,
      cacheWrite1hTokens,
      outputTokens: choices.reduce((sum, choice) => sum + choice.outputTokens, 0),
      reasoningTokens: choices.reduce((sum, choice) => sum + choice.reasoningTokens, 0),
      audioOutputTokens: choices.reduce((sum, choice) => sum + choice.soundTokens, 0),
    };
  }
}

/** The request as the tier serves it that the account has bought; null: it has bought none. */
function servedAt(request: NeutralRequest, tier: string | null): NeutralRequest {
  if (tier === null || request.boughtTier !== null) return request;
  return { ...request, boughtTier: tier, served: [tier, ...(request.served ?? [])] };
}

/** The request as another model answers it, where its own declines and it named one for that. */
function answeredFor(request: NeutralRequest, { finish }: Behaviour): NeutralRequest {
  const { fallback = null } = request;
  return finish === 'refusal' && fallback !== null ? { ...request, answeredBy: fallback } : request;
}
