import { noUsage } from '@tollgate/contracts';
import type { TokenUsage } from '@tollgate/contracts';
import fc from 'fast-check';
import { chargeLines } from './charge-lines';
import { rateUsage } from './rate-usage';
import type { Rates, RateSheet } from './rate-usage';

const inputKinds = ['cachedInput', 'cacheWrite5m', 'cacheWrite1h', 'audioInput'] as const;
const outputKinds = ['reasoning', 'audioOutput'] as const;
const kinds = [...inputKinds, ...outputKinds];

const tokens = fc.integer({ min: 0, max: 2_000_000 });
/** Pico-dollars a token: up to 1,000 dollars per million, often so small that a charge needs rounding. */
const rate = fc.oneof(fc.bigInt({ min: 0n, max: 999n }), fc.bigInt({ min: 0n, max: 1_000_000_000n }));
const rates: fc.Arbitrary<Rates> = fc.record({
  input: rate,
  output: rate,
  ...Object.fromEntries(kinds.map((kind) => [kind, fc.option(rate)])),
}) as fc.Arbitrary<Rates>;
const sheet: fc.Arbitrary<RateSheet> = fc
  .tuple(
    rates,
    rate,
    fc.uniqueArray(fc.integer({ min: 1, max: 4_000_000 }), { maxLength: 3 }),
    fc.array(rates, { minLength: 3, maxLength: 3 }),
  )
  .map(([base, perRequest, thresholds, tiers]) => ({
    ...base,
    perRequest: perRequest * 1_000n,
    longContext: thresholds
      .sort((a, b) => b - a)
      .flatMap((aboveInputTokens, index) => (tiers[index] ? [{ ...tiers[index], aboveInputTokens }] : [])),
  }));

/** Disjoint kinds of tokens, and the usage that they make: input and output hold their parts. */
const used = fc.record({
  input: tokens,
  output: tokens,
  ...Object.fromEntries(kinds.map((kind) => [kind, tokens])),
}) as fc.Arbitrary<TokenUsage>;
const usageOf = (parts: TokenUsage): TokenUsage => ({
  ...parts,
  input: parts.input + inputKinds.reduce((sum, kind) => sum + parts[kind], 0),
  output: parts.output + outputKinds.reduce((sum, kind) => sum + parts[kind], 0),
});

/** Half up, by way of decimal digits instead of division. */
function rounded(picos: bigint): bigint {
  const digits = picos.toString().padStart(4, '0');
  return BigInt(digits.slice(0, -3)) + (Number(digits.at(-3)) >= 5 ? 1n : 0n);
}

describe('a charge', () => {
  it('is every kind at its rate, of the one tier that holds, rounded once', () => {
    fc.assert(
      fc.property(sheet, used, fc.boolean(), (prices, parts, completed) => {
        const usage = usageOf(parts);
        const tier = prices.longContext.filter(({ aboveInputTokens }) => aboveInputTokens < usage.input)[0] ?? prices;
        let picos = completed || usage.input + usage.output > 0 ? prices.perRequest : 0n;
        picos += BigInt(parts.input) * tier.input + BigInt(parts.output) * tier.output;
        for (const kind of inputKinds) picos += BigInt(parts[kind]) * (tier[kind] ?? tier.input);
        for (const kind of outputKinds) picos += BigInt(parts[kind]) * (tier[kind] ?? tier.output);
        expect(rateUsage(prices, usage, completed)).toBe(rounded(picos));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(kinds)('of %s alone is their number times their rate', (kind) => {
    fc.assert(
      fc.property(tokens, rate, (count, price) => {
        const total = kind === 'reasoning' || kind === 'audioOutput' ? { output: count } : { input: count };
        const free = {
          ...Object.fromEntries(kinds.map((each) => [each, null])),
          input: 0n,
          output: 0n,
        } as unknown as Rates;
        const prices = { ...free, [kind]: price, perRequest: 0n, longContext: [] };
        expect(rateUsage(prices, { ...noUsage, ...total, [kind]: count }, true)).toBe(rounded(BigInt(count) * price));
      }),
    );
  });

  it('counts every token once, whatever parts a provider claims', () => {
    fc.assert(
      fc.property(sheet, used, (prices, claimed) => {
        const lines = chargeLines(prices, claimed, true).filter(({ kind }) => kind !== 'request');
        const counted = lines.reduce((sum, line) => sum + line.tokens, 0);
        expect(counted).toBe(claimed.input + claimed.output);
        expect(lines.every((line) => line.tokens > 0)).toBe(true);
      }),
    );
  });

  it('is the same however the provider counts cached tokens, once input includes them', () => {
    fc.assert(
      fc.property(sheet, tokens, tokens, tokens, (prices, fresh, cached, output) => {
        // OpenAI tells the whole input and the cached part; Anthropic tells what was not cached, and what was
        // beside it.
        const included = { whole: fresh + cached, cached };
        const excluded = { rest: fresh, cached };
        const one = { ...noUsage, input: included.whole, cachedInput: included.cached, output };
        const other = { ...noUsage, input: excluded.rest + excluded.cached, cachedInput: excluded.cached, output };
        const expected = prices.longContext.find((tier) => fresh + cached > tier.aboveInputTokens) ?? prices;
        const picos =
          BigInt(fresh) * expected.input +
          BigInt(cached) * (expected.cachedInput ?? expected.input) +
          BigInt(output) * expected.output +
          prices.perRequest;
        expect(rateUsage(prices, one, true)).toBe(rounded(picos));
        expect(rateUsage(prices, other, true)).toBe(rounded(picos));
      }),
    );
  });
});
