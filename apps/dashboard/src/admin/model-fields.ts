import { z } from 'zod/mini';
import type { AdminModel } from '../api/admin';
import type { ModelWish, StatedModel } from '../api/set-models';

type Places = NonNullable<StatedModel['deployments']>;
type Limits = NonNullable<StatedModel['timeouts']>;

const whole = z.string().check(z.regex(/^(\d{1,12})?$/, 'Enter a whole number, or nothing.'));

/** What is typed of a model whose id is none of those that are `taken`; of several things a line each. */
export const modelFields = (taken: readonly string[]) =>
  z.object({
    model: z.string().check(
      z.regex(/^[\w.:@-]+(\/[\w.:@-]+)*$/, 'Use letters, digits and . : @ _ - /, such as acme/small.'),
      z.maxLength(200, 'This is too long.'),
      z.refine((id) => !taken.includes(id), 'There is a model of this id already: change that one.'),
    ),
    name: z.string(),
    deployments: z
      .string()
      .check(
        z.refine(
          (text) => placesFrom(text) !== null,
          'Write a line for each: a provider, a slash and its name of the model, then priority=…, weight=… or at-once=….',
        ),
      ),
    fallbacks: z.string(),
    aliases: z.string(),
    contextWindow: whole,
    maxOutputTokens: whole,
    timeouts: z
      .string()
      .check(
        z.refine(
          (text) => limitsFrom(text) !== null,
          'Write milliseconds, such as connect=3000 first-byte=20000 idle=10000 total=60000.',
        ),
      ),
    hedgeAfterMs: whole,
    end: z.string(),
    reason: z.string(),
  });
export type ModelFields = z.infer<ReturnType<typeof modelFields>>;

/** What a model says now: what the settings say of it is newer than the catalog here. Null: a new one. */
export function modelFieldsOf(model: AdminModel | null, said: StatedModel | null): ModelFields {
  const now = { ...model, ...said };
  // Its name without the provider leads to a model by itself.
  const aliases = (now.aliases ?? []).filter((alias) => !model?.id.endsWith(`/${alias}`));
  return {
    model: model?.id ?? '',
    name: now.name ?? '',
    deployments: placesText(now.deployments ?? []),
    fallbacks: (now.fallbacks ?? []).join('\n'),
    aliases: aliases.join('\n'),
    contextWindow: now.contextWindow ? String(now.contextWindow) : '',
    maxOutputTokens: now.maxOutputTokens ? String(now.maxOutputTokens) : '',
    timeouts: limitsText(now.timeouts ?? {}),
    hedgeAfterMs: now.hedgeAfterMs ? String(now.hedgeAfterMs) : '',
    end: now.retirement?.date ?? '',
    reason: '',
  };
}

/** What is known of the end of a model beside its day. */
export function endOf(model: AdminModel | null, said: StatedModel | null): StatedModel['retirement'] {
  const {
    deprecated = null,
    date = null,
    successor = null,
    redirects = false,
  } = said?.retirement ?? model?.retirement ?? {};
  return { deprecated, date, successor, redirects };
}

/**
 * What is to be set of what was typed: what is another than `before`, and all else stays, of its `end`, too.
 */
export function modelWishOf(
  typed: ModelFields,
  before: ModelFields,
  version: number,
  end: StatedModel['retirement'] = endOf(null, null),
): ModelWish {
  const isOther = (name: keyof ModelFields) => typed[name].trim() !== before[name].trim();
  const unset = (
    ['name', 'deployments', 'contextWindow', 'maxOutputTokens', 'timeouts', 'hedgeAfterMs'] as const
  ).filter((name) => isOther(name) && typed[name].trim() === '');
  const isSaid = (name: keyof ModelFields) => isOther(name) && typed[name].trim() !== '';
  const reason = typed.reason.trim();
  return {
    ...{ model: typed.model, version },
    ...(isSaid('name') && { name: typed.name.trim() }),
    ...(isSaid('deployments') && { deployments: placesFrom(typed.deployments) ?? [] }),
    ...(isOther('fallbacks') && { fallbacks: linesOf(typed.fallbacks) }),
    ...(isOther('aliases') && { aliases: linesOf(typed.aliases) }),
    ...(isSaid('contextWindow') && { contextWindow: Number(typed.contextWindow) }),
    ...(isSaid('maxOutputTokens') && { maxOutputTokens: Number(typed.maxOutputTokens) }),
    ...(isSaid('timeouts') && { timeouts: limitsFrom(typed.timeouts) ?? {} }),
    ...(isSaid('hedgeAfterMs') && { hedgeAfterMs: Number(typed.hedgeAfterMs) }),
    ...(end && isOther('end') && { retirement: { ...end, date: typed.end || null } }),
    ...(unset.length > 0 && { unset }),
    ...(reason && { reason }),
  };
}

const limitNames = [
  ['connect', 'connectMs'],
  ['first-byte', 'firstByteMs'],
  ['idle', 'idleMs'],
  ['total', 'totalMs'],
] as const;

/** Time limits as a form holds them: `connect=3000 total=60000`. */
function limitsText(limits: Limits): string {
  return limitNames
    .flatMap(([word, name]) => (limits[name] === undefined ? [] : [`${word}=${limits[name]}`]))
    .join(' ');
}

/** Null: a word says something else. */
function limitsFrom(text: string): Limits | null {
  const said = text.split(/\s+/).filter(Boolean);
  const limits = said.map((word): Limits | null => {
    const [, typed, ms] = /^([a-z-]+)=([1-9]\d{0,7})$/.exec(word) ?? [];
    const name = limitNames.find(([each]) => each === typed)?.[1];
    return name === undefined ? null : { [name]: Number(ms) };
  });
  return limits.reduce<Limits | null>((all, one) => all && one && { ...all, ...one }, {});
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Places as a form holds them: a line each, `azure/my-name priority=1 weight=3 at-once=20`. */
function placesText(places: Places): string {
  return places
    .map(({ id, provider, upstreamModel, priority, weight, maxConcurrent }) =>
      [
        upstreamModel === undefined ? provider : `${provider}/${upstreamModel}`,
        id === undefined || id === `${provider}:${upstreamModel}` ? '' : `id=${id}`,
        priority === undefined ? '' : `priority=${priority}`,
        weight === undefined ? '' : `weight=${weight}`,
        maxConcurrent === undefined ? '' : `at-once=${maxConcurrent}`,
      ]
        .filter(Boolean)
        .join(' '),
    )
    .join('\n');
}

const form = /^([^/\s]+)(?:\/(\S+))?((?:\s+(?:id=\S+|priority=-?\d+|weight=\d+(?:\.\d+)?|at-once=[1-9]\d*))*)$/;

/** Null: a line says something else. */
function placesFrom(text: string): Places | null {
  const places = linesOf(text).map(placeFrom);
  return places.every((place) => place !== null) ? places : null;
}

function placeFrom(line: string): Places[number] | null {
  const [, provider, upstreamModel, more = ''] = form.exec(line) ?? [];
  if (provider === undefined) return null;
  const said = (name: string) => new RegExp(`(?:^|\\s)${name}=(\\S+)`).exec(more)?.[1];
  const [id, priority, weight, atOnce] = ['id', 'priority', 'weight', 'at-once'].map(said);
  return {
    provider,
    ...(id !== undefined && { id }),
    ...(upstreamModel !== undefined && { upstreamModel }),
    ...(priority !== undefined && { priority: Number(priority) }),
    ...(weight !== undefined && { weight: Number(weight) }),
    ...(atOnce !== undefined && { maxConcurrent: Number(atOnce) }),
  };
}
