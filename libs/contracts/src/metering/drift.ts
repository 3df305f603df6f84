import type { DriftLine } from './bills';

/**
 * What is known of our side of a bill, in pico-dollars: what is certain, and what attempts that no caller
 * pays may have cost beside it, estimated whether or not their provider charges them.
 */
export interface OwnSide {
  certain: bigint;
  estimated: bigint;
}

/**
 * How far a bill is from ours for certain: an amount between what is certain and that with all estimates is
 * explained. Positive where the provider bills more than anything here explains, negative where less.
 */
export function certainDrift(billed: bigint, { certain, estimated }: OwnSide): bigint {
  if (billed < certain) return billed - certain;
  const most = certain + estimated;
  return billed > most ? billed - most : 0n;
}

/**
 * How far a day's bill is from ours, in pico-dollars: the certain differences of its models, each without its
 * sign. Lines of one model make up for each other, since providers name kinds in words of their own.
 */
export function driftOfModels(
  lines: readonly Pick<DriftLine, 'model' | 'billedPicoUsd' | 'ratedPicoUsd' | 'estimatedPicoUsd'>[],
): bigint {
  const models = new Map<string, OwnSide & { billed: bigint }>();
  for (const { model, billedPicoUsd, ratedPicoUsd, estimatedPicoUsd } of lines) {
    const { billed, certain, estimated } = models.get(model) ?? { billed: 0n, certain: 0n, estimated: 0n };
    models.set(model, {
      billed: billed + BigInt(billedPicoUsd ?? '0'),
      certain: certain + BigInt(ratedPicoUsd ?? '0'),
      estimated: estimated + BigInt(estimatedPicoUsd),
    });
  }
  return [...models.values()].reduce((sum, { billed, ...own }) => sum + withoutSign(certainDrift(billed, own)), 0n);
}

function withoutSign(picoUsd: bigint): bigint {
  return picoUsd < 0n ? -picoUsd : picoUsd;
}
