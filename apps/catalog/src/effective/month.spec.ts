import { parseTollgateFile } from '@tollgate/configuration';
import { builtInProviders } from '@tollgate/providers';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { effectiveCatalog } from './effective-catalog';
import { seedFiles } from './seed';

const rates = z.record(z.string(), z.string());
/** What was new, and what ends, as it was read on 22 November 2026. */
const facts = z
  .object({
    models: z.array(
      z.object({
        providers: z.array(z.string()),
        name: z.string(),
        context: z.number().optional(),
        maxOutput: z.number().optional(),
        status: z.string().optional(),
        released: z.string().optional(),
        prices: rates.optional(),
        above: z.looseObject({ tokens: z.number() }).optional(),
        from: z.record(z.string(), rates).optional(),
      }),
    ),
    ends: z.array(z.object({ providers: z.array(z.string()), name: z.string(), day: z.string() })),
  })
  .parse(JSON.parse(readFileSync(join(__dirname, '__fixtures__/models-2026-11.json'), 'utf8')));

/** Why a model is not in the catalog: no surface of the gateway could serve it. */
const notServed: readonly [names: RegExp, reason: string][] = [
  [/image|nano-banana/, 'It makes images, and no surface gives any.'],
  [/-tts|^tts-|-transcribe|whisper/, 'It speaks or writes down speech, and there is no such surface.'],
  [/gpt-(4o-)?audio/, 'It is made for sound, and has no place among models of text: an operator who wants it adds it.'],
  [/-live(-|$)|realtime/, 'It is spoken with over a live connection, and there is no such surface.'],
  [/omni-flash-preview/, 'It makes videos, and no surface gives any.'],
  [/^deep-research/, "It is an agent of Google's Interactions API, no model that generateContent answers for."],
  [/computer-use/, 'It refuses requests without its own tool of a computer, for which no surface has a form.'],
  [
    /-pro$|codex$/,
    'It ends, is to be had at the responses endpoint alone, and gpt-5.6-sol with reasoning.mode "pro" takes its place.',
  ],
  [/^gpt-6\.1-terra$/, 'At Google Cloud it is in a private preview.'],
  [/^claude-mythos/, 'It is for invited organisations.'],
  [/^xai\.grok/, 'Which of the endpoints of Bedrock answer for it was not to be found.'],
];

/** Where our row says something else than what was read, and why. */
const otherwise: Readonly<Record<string, string>> = {
  'deepseek/deepseek-flash prices':
    'Read was the peak rate; the row has the rate off-peak, and the hours are a term of it.',
  'alibaba/glm-5.2 prices': 'A cache price of nothing means in the source that there is no such price.',
  'cohere/north-mini-code-1-0 prices': 'A price of nothing is an offer and not a fact: usage is unpriced.',
};

const { models, retiredNames } = effectiveCatalog(builtInProviders, seedFiles, parseTollgateFile('none', ''));
const announced = new Map(seedFiles.flatMap((file) => file.models).map(({ id, priceChanges }) => [id, priceChanges]));

function rowOf({
  providers,
  name,
}: {
  providers: readonly string[];
  name: string;
}): (typeof models)[number] | undefined {
  const [plain = name] = name.split('@default');
  return models.find(
    (model) =>
      providers.includes(model.provider) &&
      [
        model.id.slice(model.provider.length + 1),
        ...model.aliases,
        ...model.deployments.map((each) => each.upstreamModel),
      ].some((each) => each === name || each === plain),
  );
}

const same = (one: string | null | undefined, other: string): boolean => one != null && Number(one) === Number(other);
const reasonFor = (name: string): string | undefined => notServed.find(([names]) => names.test(name))?.[1];
const named = <Fact extends { providers: readonly string[]; name: string }>(list: readonly Fact[]) =>
  list.map((fact) => [`${fact.providers[0]} ${fact.name}`, fact] as const);

describe('the models of November 2026', () => {
  it('are those that were read', () => {
    expect(facts.models).toHaveLength(115);
    expect(facts.ends).toHaveLength(50);
  });

  it.each(named(facts.models))('%s is in the catalog, or it is said why it cannot be', (_, fact) => {
    expect(rowOf(fact) === undefined ? reasonFor(fact.name) : 'in the catalog').toBeDefined();
  });

  it.each(named(facts.models.filter((fact) => rowOf(fact) !== undefined)))(
    '%s has the limits that were read',
    (_, fact) => {
      const row = rowOf(fact);
      expect({
        context: fact.context && row?.contextWindow,
        maxOutput: fact.maxOutput && row?.maxOutputTokens,
        status: fact.status && row?.status,
        released:
          fact.released?.length === 10 && row
            ? new Date(row.created * 1_000).toISOString().slice(0, 10)
            : fact.released,
      }).toEqual({ context: fact.context, maxOutput: fact.maxOutput, status: fact.status, released: fact.released });
    },
  );

  it.each(named(facts.models.filter((fact) => fact.prices && rowOf(fact))))(
    '%s has the prices that were read',
    (_, fact) => {
      const row = rowOf(fact);
      const wrong = Object.entries(fact.prices ?? {}).filter(
        ([rate, usd]) => !same(row?.prices?.[rate as 'input'], usd),
      );
      const { tokens, ...above } = fact.above ?? { tokens: 0 };
      const tier = row?.prices?.longContext.find(({ aboveInputTokens }) => aboveInputTokens === tokens);
      const wrongAbove = Object.entries(above).filter(([rate, usd]) => !same(tier?.[rate as 'input'], String(usd)));
      const isKnown = `${row?.id} prices` in otherwise;
      expect([...wrong, ...wrongAbove].length > 0).toBe(isKnown);
    },
  );

  it.each(named(facts.models.filter((fact) => fact.from && rowOf(fact))))(
    '%s has the prices that were announced',
    (_, fact) => {
      const changes = announced.get(rowOf(fact)?.id ?? '') ?? [];
      for (const [day, prices] of Object.entries(fact.from ?? {})) {
        const change = changes.find(({ from }) => from.startsWith(day));
        expect(Object.entries(prices).filter(([rate, usd]) => !same(change?.prices[rate as 'input'], usd))).toEqual([]);
      }
    },
  );

  it.each(named(facts.ends))('%s ends on the day that was read, or was never served', (_, fact) => {
    const row = rowOf(fact);
    const gone = retiredNames.find(({ name }) => name === fact.name);
    if (row || gone) expect(row ? row.retirement?.date : gone?.date).toBe(fact.day);
    else expect(reasonFor(fact.name)).toBeDefined();
  });

  // Each row names its own source.
  it.each<[string, object]>([
    ['anthropic/claude-sonnet-5', { prices: { input: '2', output: '10' } }],
    ['anthropic/claude-sonnet-4-5', { contextWindow: 200_000 }],
    ['vertex/gemini-2.5-flash', { prices: { cachedInput: '0.03' } }],
    ['mistral/mistral-medium-2604', { prices: { cachedInput: '0.15' } }],
    ['mistral/mistral-large-2512', { prices: { cachedInput: '0.05' } }],
    ['mistral/mistral-medium-2508', { retirement: { date: '2026-08-31' } }],
    ['deepseek/deepseek-v4-pro', { prices: { input: '0.66', output: '1.98', cachedInput: '0.022' } }],
    ['fireworks/glm-5p2', { prices: { cachedInput: '0.14' } }],
    ['togetherai/Llama-3.3-70B-Instruct-Turbo', { prices: { input: '1.04', output: '1.04' } }],
    ['togetherai/GLM-5.1', { prices: { cachedInput: '0.26' } }],
    ['togetherai/GLM-5.2', { contextWindow: 512_000 }],
    ['togetherai/Qwen3.7-Max', { prices: { cachedInput: '0.125' } }],
  ])('%s has what its provider changed since July', (id, changed) => {
    expect(models.find((model) => model.id === id)).toMatchObject(changed);
  });

  it('has no price where that of another provider was copied', () => {
    const copied = models.filter(({ id }) => /^nvidia\/deepseek-v4-(?:pro|flash)$/.test(id));
    expect(copied.map(({ prices }) => prices)).toEqual([null, null]);
  });

  it('leaves out and departs from nothing without need', () => {
    const all = [...facts.models, ...facts.ends].filter((fact) => rowOf(fact) === undefined);
    for (const [names, reason] of notServed)
      expect([reason, all.some(({ name }) => names.test(name))]).toEqual([reason, true]);
    const ids = models.map(({ id }) => `${id} prices`);
    expect(Object.keys(otherwise).filter((key) => !ids.includes(key))).toEqual([]);
  });
});
