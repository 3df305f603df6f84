import { isOnOwnKey, noUsage, withoutParts } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import type { ChargeLine } from '@tollgate/contracts/metering';
import { toPicoPerToken } from '@tollgate/database';
import { chargeLines, type RatedTokens } from '../rating/charge-lines';
import { atHour, chargeEvent, type EventLine, type FoundPrice } from '../rating/rate-usage';

/**
 * What a request used of one kind at one provider, as a bill has it. `picoUsd` null: no price of it is known.
 */
export interface RatedUse {
  provider: string;
  model: string;
  kind: string;
  quantity: number;
  picoUsd: bigint | null;
  /** An attempt used it whose caller does not pay. */
  unbilled: boolean;
  /** Its provider did not tell it, and may not charge it: nobody knows. Of what is unbilled alone. */
  estimated: boolean;
}

const oneInMicro = 1_000_000n;
/**
 * Bills know output alone; the operator's own mark-up is in none, and a discount is in each of their lines.
 */
const kindsOfBills: Partial<Record<ChargeLine['kind'], string | null>> = {
  reasoning: 'output',
  discount: null,
  markup: null,
};

/**
 * What a provider should bill for a request, by our prices: the lines of its charge less the discount of the
 * deployment, and what attempts used that its caller does not pay. Empty for an answer from the response
 * cache, and for what went with a key of its account, to whom it is billed.
 */
export function ratedUses(
  event: Pick<UsageEvent, 'model' | 'usage' | 'state' | 'cached' | 'attempts' | 'endedAt'>,
  find: (model: string) => FoundPrice | null,
): RatedUse[] {
  const { usage, attempts, model } = event;
  const last = attempts.at(-1);
  if (!last || event.cached || isOnOwnKey(event)) return [];
  const { price, lines } = chargeEvent(event, find);
  const unknown: EventLine[] = price ? [] : chargeLines(null, withoutParts(usage), false);
  const discount = toPicoPerToken(usage.served?.discount ?? '0');
  return [
    ...[...lines, ...unknown].flatMap((line) => {
      const { part } = line;
      // The beginning of an answer that went on elsewhere is billed by who served it.
      if (part?.provider === undefined) return toUse(line, last.provider, part?.model ?? model, discount);
      return toUse(line, part.provider, part.model, toPicoPerToken(part.discount ?? '0'));
    }),
    ...unbilledUses(event, find),
  ];
}

/** What providers may charge for attempts whose caller does not pay: the operator's own. */
export function unbilledUses(
  { model, attempts, endedAt }: Pick<UsageEvent, 'model' | 'attempts' | 'endedAt'>,
  find: (model: string) => FoundPrice | null,
): RatedUse[] {
  return attempts.flatMap(({ provider, deployment, unbilled }) => {
    if (!unbilled) return [];
    // A deployment that the catalog makes is named by its model and provider; one of the operator's may be
    // named as they like.
    const named = deployment.slice(0, Math.max(0, deployment.lastIndexOf('@')));
    const of = find(named) ? named : model;
    const tokens = chargeLines(atHour(find(of), endedAt)?.sheet ?? null, { ...noUsage, ...unbilled }, false);
    const more = { unbilled: true, estimated: unbilled.estimated ?? false };
    const discount = toPicoPerToken(unbilled.served?.discount ?? '0');
    return tokens.flatMap((line) => toUse(line, provider, of, discount)).map((use) => ({ ...use, ...more }));
  });
}

function toUse(
  { kind, tokens, rate, unit }: RatedTokens,
  provider: string,
  model: string,
  discount: bigint,
): RatedUse[] {
  const named = kind === 'unit' ? (unit ?? kind) : kind in kindsOfBills ? kindsOfBills[kind] : kind;
  if (named == null) return [];
  const gross = rate === null ? null : BigInt(tokens) * rate;
  const picoUsd = gross === null ? null : gross - (gross * discount + oneInMicro / 2n) / oneInMicro;
  return [{ provider, model, kind: named, quantity: tokens, picoUsd, unbilled: false, estimated: false }];
}
