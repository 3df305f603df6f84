import { parseTollgateFile } from '@tollgate/configuration';
import { nanoUsdFromDecimal } from '@tollgate/contracts';
import { catalogModel, priceSheet } from '@tollgate/contracts/catalog';
import type { PriceSheet } from '@tollgate/contracts/catalog';
import { builtInProviders } from '@tollgate/providers';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pricesOtherwise } from '../prices/imported-price';
import { seedFiles } from './seed';
import { effectiveCatalog } from './effective-catalog';

const effective = effectiveCatalog(builtInProviders, seedFiles, parseTollgateFile('none', ''));
const { models, priced } = effective;
const rows = models.map((model) => [model.id, model] as const);
const generating = rows.filter(([, { kind }]) => kind === 'generation');
const embedding = rows.filter(([, { kind }]) => kind === 'embedding');
/** Text models above this many US dollars per million tokens are more likely a slip than a price. */
const highestUsd = 100n;
/** Those that think for longest cost several times as much. https://developers.openai.com/api/docs/pricing */
const highestUsdOfPro = 300n;

describe('the seed', () => {
  it('has at least 60 models of at least 12 providers', () => {
    expect(models.length).toBeGreaterThanOrEqual(60);
    expect(new Set(models.map(({ provider }) => provider)).size).toBeGreaterThanOrEqual(12);
  });

  it('registers every file of prisma/seed/models, each under the name of its provider', () => {
    const files = readdirSync(join(__dirname, '../../../../prisma/seed/models'));
    const registered = seedFiles.map(({ provider, models }) => {
      if (models.every(({ kind }) => kind === 'embedding')) return `embeddings-${provider}`;
      return models.every(({ retirement }) => retirement) ? `ending-${provider}` : provider;
    });
    expect(registered).toEqual(files.map((file) => basename(file, '.json')).sort());
  });

  it('gives each id once', () => {
    const ids = seedFiles.flatMap((file) => file.models.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('says where and when its facts were taken', () => {
    for (const { source, retrieved, models: listed } of seedFiles) {
      expect(source).toMatch(/^https:\/\/github\.com\/anomalyco\/models\.dev\/tree\/\w+\/providers\//);
      for (const day of [retrieved, ...listed.flatMap((model) => model.retrieved ?? [])])
        expect(Date.parse(day)).toBeGreaterThanOrEqual(Date.UTC(2026, 6, 2));
    }
    expect(priced.every(({ source }) => source.startsWith('https://'))).toBe(true);
  });

  it.each(rows)('%s keeps the contract and is named provider/model', (id, model) => {
    expect(catalogModel.parse(model)).toEqual(model);
    expect(id.startsWith(`${model.provider}/`)).toBe(true);
    expect(id.split('/')).toHaveLength(2);
  });

  it.each(generating)('%s is a text model whose limits are known, or said not to be', (id, model) => {
    expect(model.inputModalities).toContain('text');
    expect(model.outputModalities).toEqual(['text']);
    expect(model.contextWindow).toBeGreaterThanOrEqual(8_000);
    if (model.maxOutputTokens === null) expect(noteOf(id)).toMatch(/limit of (its|text) output/);
    else {
      expect(model.maxOutputTokens).toBeGreaterThan(0);
      expect(model.maxOutputTokens).toBeLessThanOrEqual(model.contextWindow ?? 0);
    }
    expect(model.capabilities.vision).toBe(model.inputModalities.includes('image'));
    expect(new Date(model.created * 1000).getUTCFullYear()).toBeGreaterThanOrEqual(2024);
    expect(model.created * 1000).toBeLessThan(Date.UTC(2026, 11, 1));
  });

  /**
   * "All active models support PDF processing", at Google and Amazon, too:
   * https://platform.claude.com/docs/en/build-with-claude/pdf-support
   * "Models with vision capabilities": https://developers.openai.com/docs/guides/pdf-files
   */
  it.each(generating.filter(([id]) => /^openai\/|^(vertex-)?anthropic\/|^bedrock\/.*anthropic\./.test(id)))(
    '%s takes PDFs where it takes pictures, as its maker says of all that see',
    (_, { inputModalities }) => {
      expect(inputModalities.includes('pdf')).toBe(inputModalities.includes('image'));
    },
  );

  it.each(rows)('%s says how it ends where it is deprecated, and only there', (id, { status, retirement }) => {
    expect(status === 'deprecated').toBe(retirement !== null);
    if (!retirement) return;
    expect(retirement.deprecated ?? retirement.date).not.toBeNull();
    if (retirement.deprecated && retirement.date) expect(retirement.deprecated <= retirement.date).toBe(true);
    const successor = models.find((model) => model.id === retirement.successor);
    if (retirement.successor) expect(successor?.retirement ?? null).toBeNull();
    expect(noteOf(id)).toBeTruthy();
  });

  it('names a successor that is there for every name that is gone', () => {
    for (const { successor, name } of effective.retiredNames)
      if (successor) expect([name, models.some(({ id }) => id === successor)]).toEqual([name, true]);
  });

  it.each(rows.filter(([, { prices, priceUnconfirmed }]) => priceUnconfirmed || !prices))(
    '%s says why its price is not sure',
    (id) => {
      expect(noteOf(id)).toBeTruthy();
    },
  );

  it('knows what is read and written by marks of all that Alibaba takes them for, and of no other model of it', () => {
    const marked = new RegExp(builtInProviders.find(({ id }) => id === 'alibaba')?.quirks.cacheMarks ?? '(?!)');
    const ofAlibaba = pricesOtherwise(effective, new Map()).filter(({ model }) => model.startsWith('alibaba/'));
    const known = ofAlibaba.filter(({ prices: { terms } }) => terms?.markedReads !== undefined);
    const read = ({ input, terms }: PriceSheet) => Number(input) * Number(terms?.markedReads);
    expect(known.map(({ model, prices }) => [model, read(prices), prices.cachedInput, prices.cacheWrite5m])).toEqual([
      ['alibaba/qwen3.8-max', 0.17, '0.25', '2.5'],
      ['alibaba/qwen3.7-max', 0.25, '0.5', '3.125'],
      ['alibaba/qwen3.7-plus', 0.05, '0.1', '0.625'],
      ['alibaba/qwen3.6-max-preview', 0.13, '0.26', '1.625'],
      ['alibaba/qwen3.6-plus', 0.05, '0.1', '0.625'],
    ]);
    const taken = ofAlibaba.filter(({ model }) => marked.test(model.slice('alibaba/'.length)));
    expect(taken.map(({ model }) => model)).toEqual(known.map(({ model }) => model));
  });

  it('announces changes of prices in the order of their instants', () => {
    for (const { changes = [] } of priced) {
      expect(changes.map(({ from }) => from)).toEqual(changes.map(({ from }) => from).toSorted());
    }
    expect(priced.filter(({ changes }) => changes).length).toBeGreaterThan(3);
  });

  it.each(generating)('%s has prices that make sense', (id, { prices, contextWindow }) => {
    if (!prices) return;
    const highest = /^openai\/.*-pro$/.test(id) ? highestUsdOfPro : highestUsd;
    for (const sheet of [prices, ...prices.longContext]) {
      const [input, output] = [nanoUsdFromDecimal(sheet.input), nanoUsdFromDecimal(sheet.output)];
      expect(input > 0n && output >= input && output <= nanoUsdFromDecimal(`${highest}`)).toBe(true);
      if (sheet.cachedInput) expect(isBetween(1n, nanoUsdFromDecimal(sheet.cachedInput), input)).toBe(true);
      if (sheet.cacheWrite5m) expect(isBetween(input, nanoUsdFromDecimal(sheet.cacheWrite5m), 2n * input)).toBe(true);
    }
    // Taken for a fee per thousand requests, a fee per request would be dollars.
    if (prices.perRequest) expect(nanoUsdFromDecimal(prices.perRequest) < nanoUsdFromDecimal('0.05')).toBe(true);
    for (const tier of prices.longContext) {
      expect(tier.aboveInputTokens).toBeLessThan(contextWindow ?? 0);
      expect(nanoUsdFromDecimal(tier.input) > nanoUsdFromDecimal(prices.input)).toBe(true);
    }
  });

  it.each(embedding)('%s embeds text, and only its input costs', (_, model) => {
    expect(model.inputModalities).toContain('text');
    expect(model.outputModalities).toEqual(['embedding']);
    expect(model.maxOutputTokens).toBeNull();
    expect(Object.values(model.capabilities)).not.toContain(true);
    expect(model.contextWindow ?? Infinity).toBeGreaterThanOrEqual(512);
    expect(nanoUsdFromDecimal(model.prices?.output ?? '1')).toBe(0n);
    expect(isBetween(1n, nanoUsdFromDecimal(model.prices?.input ?? '0'), nanoUsdFromDecimal('1'))).toBe(true);
  });

  it('has embedding models of four providers', () => {
    expect([...new Set(embedding.map(([, { provider }]) => provider))].sort()).toEqual([
      'cohere',
      'google',
      'mistral',
      'openai',
    ]);
  });
});

/** What the seed says beside the facts. */
function noteOf(id: string): string | undefined {
  return seedFiles.flatMap((file) => file.models).find((model) => model.id === id)?.note;
}

function isBetween(low: bigint, value: bigint, high: bigint): boolean {
  return low <= value && value <= high;
}

/** Models of the table of wire cases that an operator adds. */
const ofOperators = ['openrouter/example', 'openai/gpt-audio-1.5'];

/** Sheets that were written down from the providers' pages for the table of wire cases. */
const { sheets } = JSON.parse(
  readFileSync(join(__dirname, '../../../../libs/dialects/src/proof/__fixtures__/invoice.json'), 'utf8'),
) as { sheets: Record<string, unknown> };

describe('the prices in force', () => {
  const inForce = new Map(pricesOtherwise(effective, new Map()).map((one) => [one.model, one]));

  it.each(Object.entries(sheets).filter(([model]) => !ofOperators.includes(model)))(
    'of %s are those that the invoice is worked out with',
    (model, sheet) => {
      const prices = inForce.get(model)?.prices;
      const byName = (served: readonly { value: string }[] = []) =>
        [...served].sort((one, other) => (one.value < other.value ? -1 : 1));
      const wanted = priceSheet.parse(sheet);
      expect({ ...prices, terms: { ...prices?.terms, served: byName(prices?.terms?.served) } }).toEqual({
        ...wanted,
        terms: { ...wanted.terms, served: byName(wanted.terms?.served) },
      });
    },
  );

  it('change at the minute that a provider has printed, whatever else does', () => {
    const ultrafast = (prices: (typeof priced)[number]['prices'] | undefined) =>
      prices?.terms?.served?.find(({ value }) => value === 'ultrafast')?.factor;
    const { prices, changes } = inForce.get('openai/gpt-6.2-sol') ?? {};
    expect(ultrafast(prices)).toBe('3');
    expect(changes?.map((change) => [change.from, ultrafast(change.prices)])).toEqual([['2027-03-01T08:00:00Z', '6']]);
    const fast = inForce.get('anthropic/claude-opus-4-8');
    const speeds = fast?.changes?.map(({ from, prices: { terms } }) => [
      from,
      terms?.served?.map(({ value }) => value),
    ]);
    expect(speeds).toEqual([['2026-12-01T00:00:00Z', ['batch', 'us']]]);
    const argon = inForce.get('google/gemini-4-argon');
    expect(argon?.changes?.map((change) => [change.prices.input, change.prices.terms])).toEqual([
      ['4', argon?.prices.terms],
    ]);
  });
});
