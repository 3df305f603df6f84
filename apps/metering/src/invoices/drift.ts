import { certainDrift } from '@tollgate/contracts/metering';
import type { DriftLine } from '@tollgate/contracts/metering';

/** A line of a bill, of all its requests together. `quantity` null: not told. */
export interface BilledSum {
  model: string;
  kind: string;
  picoUsd: bigint;
  quantity: number | null;
}

/**
 * What our prices make of the requests of a line: what is certain, and beside it what attempts that no caller
 * pays may have cost and used, estimated.
 */
export interface RatedSum {
  model: string;
  kind: string;
  picoUsd: bigint;
  /** The part of it that no caller pays. */
  unbilledPicoUsd: bigint;
  estimatedPicoUsd: bigint;
  quantity: number;
  estimatedQuantity: number;
  requests: number;
  unpriced: number;
}

type Place = Pick<BilledSum, 'model' | 'kind'>;

/** What a bill may call a kind that it does not tell apart, the nearest word first. */
const widerKinds: Readonly<Record<string, readonly string[]>> = {
  cachedInput: ['input'],
  cacheWrite5m: ['cacheWrite', 'input'],
  cacheWrite1h: ['cacheWrite', 'input'],
  audioInput: ['input'],
  imageInput: ['input'],
  videoInput: ['input'],
  audioOutput: ['output'],
  imageOutput: ['output'],
};

/**
 * In which line of a bill our usage stands: a bill may tell a wider kind of a model, no model for a kind, no
 * kind for a model, or neither. A line of its own, where the bill has none for it.
 */
export class BillPlaces {
  private readonly billed: ReadonlySet<string>;

  constructor(lines: readonly Place[]) {
    this.billed = new Set(lines.map(placeName));
  }

  of({ model, kind }: Place): Place {
    const kinds = [kind, ...(widerKinds[kind] ?? [])];
    // The line of the kind itself comes before a wider one, whichever model it names: where cached input is
    // told for all models together, none of it is in the input of one.
    const places = [
      ...kinds.flatMap((each) => [
        { model, kind: each },
        { model: '', kind: each },
      ]),
      { model, kind: '' },
      { model: '', kind: '' },
    ];
    return places.find((place) => this.billed.has(placeName(place))) ?? { model, kind };
  }
}

/** Holds the lines of a provider's day against ours; those that differ most come first. */
export function driftOf(
  provider: string,
  day: string,
  billed: readonly BilledSum[],
  rated: readonly RatedSum[],
): DriftLine[] {
  const places = new BillPlaces(billed);
  const ours = new Map<string, RatedSum[]>();
  for (const sum of rated) {
    const name = placeName(places.of(sum));
    ours.set(name, [...(ours.get(name) ?? []), sum]);
  }
  const theirs = new Map(billed.map((line) => [placeName(line), line]));
  const lines = [...new Set([...theirs.keys(), ...ours.keys()])].map((name): DriftLine => {
    const bill = theirs.get(name);
    const own = ours.get(name) ?? [];
    const { model = '', kind = '' } = bill ?? own[0] ?? {};
    const amount = (of: 'picoUsd' | 'unbilledPicoUsd' | 'estimatedPicoUsd') =>
      own.reduce((sum, each) => sum + each[of], 0n);
    const quantity = (of: 'quantity' | 'estimatedQuantity') => own.reduce((sum, each) => sum + each[of], 0);
    const [certain, estimated] = [amount('picoUsd'), amount('estimatedPicoUsd')];
    return {
      day,
      provider,
      model,
      kind,
      billedPicoUsd: bill?.picoUsd.toString() ?? null,
      ratedPicoUsd: own.length === 0 ? null : certain.toString(),
      unbilledPicoUsd: amount('unbilledPicoUsd').toString(),
      estimatedPicoUsd: estimated.toString(),
      driftPicoUsd: certainDrift(bill?.picoUsd ?? 0n, { certain, estimated }).toString(),
      billedQuantity: bill?.quantity ?? null,
      ratedQuantity: own.length === 0 ? null : quantity('quantity'),
      estimatedQuantity: quantity('estimatedQuantity'),
      requests: requestsOf(own, 'requests'),
      unpriced: requestsOf(own, 'unpriced'),
    };
  });
  return lines.sort((a, b) => compare(sizeOf(b), sizeOf(a)));
}

/** A request may have several kinds of one model: those of the kind that most have. */
function requestsOf(sums: readonly RatedSum[], count: 'requests' | 'unpriced'): number {
  const models = new Map<string, number>();
  for (const sum of sums) models.set(sum.model, Math.max(models.get(sum.model) ?? 0, sum[count]));
  return [...models.values()].reduce((total, most) => total + most, 0);
}

function sizeOf({ driftPicoUsd }: DriftLine): bigint {
  const drift = BigInt(driftPicoUsd);
  return drift < 0n ? -drift : drift;
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** No model's name holds a line break. */
export function placeName({ model, kind }: Place): string {
  return `${model}\n${kind}`;
}
