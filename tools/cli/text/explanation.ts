import { decimalFromNanoUsd, isOnOwnKey } from '@tollgate/contracts';
import type { Attempt } from '@tollgate/contracts';
import { hoursInWords } from '@tollgate/contracts/catalog';
import { budgetAmount, chargeKindNames } from '@tollgate/contracts/metering';
import type { ChargeLine, ExplainedEvent } from '@tollgate/contracts/metering';
import { facts, table } from './table';
import { instant, limit } from './values';

/** An event of the ledger, its attempts, and its charge line by line. */
export function explanation(explained: ExplainedEvent): string {
  const { event } = explained;
  const states = [
    event.state,
    ...(event.cached ? ['from the response cache'] : []),
    ...(isOnOwnKey(event) ? ['with a key of its account, at no charge here'] : []),
    ...(event.estimated ? ['estimated'] : []),
    ...(explained.storedNanoUsd === null ? ['unpriced'] : []),
  ];
  const head = facts([
    ['event', event.id],
    ['request', event.requestId],
    ['key', event.keyId],
    ['model', event.model === event.requestedModel ? event.model : `${event.model} (asked: ${event.requestedModel})`],
    ['served', served(event.usage.served)],
    ['state', `${states.join(', ')}, status ${event.status}, reported by ${event.reportedBy}`],
    ['began', new Date(event.startedAt).toISOString()],
    ['first token', event.firstTokenAt === null ? 'none' : `after ${event.firstTokenAt - event.startedAt} ms`],
    ['ended', new Date(event.endedAt).toISOString()],
    ['quota', quota(event)],
    ...explained.budgets.map((held): [string, string] => ['budget', budget(held)]),
  ]);
  return [head, attempts(explained), charge(explained)].join('\n\n');
}

/**
 * What was set aside of the quota at admission, used, and given back, or taken on top where an estimate was
 * too low.
 */
function quota({ lease, reserved, usage }: ExplainedEvent['event']): string {
  if (reserved === undefined) return lease === null ? 'nothing reserved' : `reserved from the lease ${lease}`;
  const used = usage.input + usage.output;
  const rest =
    reserved >= used ? `${limit(reserved - used)} released` : `${limit(used - reserved)} more than was reserved`;
  const from = lease === null ? 'while metering was away' : `from the lease ${lease}`;
  return `${limit(reserved)} tokens reserved ${from}, ${limit(used)} used, ${rest}`;
}

/** What was set aside of a budget at admission, spent, and given back, or spent on top. */
function budget({ budgetId, name, unit, heldNanoUsd, spentNanoUsd }: ExplainedEvent['budgets'][number]): string {
  const reserved = `${budgetAmount(unit, heldNanoUsd)} reserved`;
  if (name === null || spentNanoUsd === null) return `${budgetId}, which was removed: ${reserved}`;
  const rest = BigInt(heldNanoUsd) - BigInt(spentNanoUsd);
  const released =
    rest >= 0n ? `${budgetAmount(unit, rest)} released` : `${budgetAmount(unit, -rest)} more than was reserved`;
  return `${JSON.stringify(name)}: ${reserved}, ${budgetAmount(unit, spentNanoUsd)} spent, ${released}`;
}

/**
 * What the event counts stands at the last attempt. What a provider may charge for another one, or for all
 * that failed, is the operator's.
 */
function attempts({ event }: ExplainedEvent): string {
  const rows = event.attempts.map((attempt, index) => [
    String(index + 1),
    attempt.provider,
    attempt.deployment,
    attempt.status === null ? 'none' : String(attempt.status),
    attempt.error ?? 'ok',
    `${attempt.latencyMs} ms`,
    [
      ...(index === event.attempts.length - 1 ? [tokens(event.usage)] : []),
      ...(attempt.unbilled ? [unbilled(attempt.unbilled)] : []),
    ].join('; '),
  ]);
  const words = event.attempts.flatMap(({ reason, detail }, index) =>
    [reason, detail].flatMap((said) => (said ? [`attempt ${index + 1}: ${said}`] : [])),
  );
  return [table(['attempt', 'provider', 'deployment', 'status', 'result', 'time', 'tokens'], rows), ...words].join(
    '\n',
  );
}

function unbilled(used: NonNullable<Attempt['unbilled']>): string {
  return `${tokens(used)}, ${used.estimated ? 'estimated, ' : ''}not charged on`;
}

function tokens({ input, output }: { input: number; output: number }): string {
  return `${limit(input)} in, ${limit(output)} out`;
}

function charge(explained: ExplainedEvent): string {
  const { price, lines, aboveInputTokens, hours, computedNanoUsd, storedNanoUsd } = explained;
  if (storedNanoUsd === null && price === null)
    return 'Unpriced: no price of this model was known when the request began.';
  if (price === null) return `The stored charge is $${usd(storedNanoUsd)}, but the price row behind it is gone.`;
  const tier = aboveInputTokens === null ? '' : `, rates above ${limit(aboveInputTokens)} input tokens`;
  const dates = `from ${instant(price.validFrom)} to ${price.validTo === null ? 'now' : instant(price.validTo)}`;
  const amounts = lines.map(({ amountPicoUsd }) => amountPicoUsd);
  const sum = amounts.includes(null) ? null : amounts.reduce((total, picos) => total + BigInt(picos ?? '0'), 0n);
  return [
    `Price ${price.id}: ${price.source}, ${dates}${tier}${hours === null ? '' : `, rates ${hoursInWords(hours)}`}`,
    table(
      ['kind', 'quantity', 'rate', 'amount'],
      [...lines.map(lineRow), ['sum', '', '', sum === null ? 'unknown' : `$${picoUsd(sum.toString())}`]],
    ),
    computedNanoUsd === null
      ? 'Unpriced: no price is known of the lines without a rate.'
      : verdict(computedNanoUsd, storedNanoUsd),
  ].join('\n');
}

function lineRow({ kind, tokens, ratePicoUsd, amountPicoUsd, unit, fraction, model, priceId }: ChargeLine): string[] {
  if (fraction !== undefined && amountPicoUsd !== null)
    return [chargeKindNames[kind], '', `${fraction} of the above`, dollars(amountPicoUsd)];
  const each = kind === 'request' || kind === 'unit';
  const of = model === undefined ? '' : ` of ${model}${priceId === undefined ? '' : ` (price ${priceId})`}`;
  return [
    `${unit ?? chargeKindNames[kind]}${of}`,
    limit(tokens),
    ratePicoUsd === null
      ? 'unknown'
      : each
        ? `$${picoUsd(ratePicoUsd)} each`
        : `$${perMillion(ratePicoUsd)} per million`,
    amountPicoUsd === null ? 'unknown' : `$${picoUsd(amountPicoUsd)}`,
  ];
}

/** How the provider says that it served the request, where that decides the price. */
function served(terms: ExplainedEvent['event']['usage']['served']): string {
  const { tier, speed, region, markedReads, toldNanoUsd } = terms ?? {};
  const words = [
    ...(tier === undefined ? [] : [`tier ${tier}`]),
    ...(speed === undefined ? [] : [`speed ${speed}`]),
    ...(region === undefined ? [] : [`region ${region}`]),
    ...(markedReads ? ['from the cache of what the caller marked'] : []),
    ...(toldNanoUsd === undefined ? [] : [`the provider says that it charges $${usd(toldNanoUsd)}`]),
  ];
  return words.join(', ') || 'as usual';
}

function verdict(computed: string, stored: string | null): string {
  if (computed === stored) return `Rounded to the nano-dollar: $${usd(computed)}, which is the stored charge.`;
  const difference = BigInt(computed) - BigInt(stored ?? '0');
  return `Rounded to the nano-dollar: $${usd(computed)}. The stored charge is $${usd(stored)}: a DIFFERENCE of ${difference} nano-dollars.`;
}

function usd(nanos: string | null): string {
  return nanos === null ? 'unknown' : decimalFromNanoUsd(BigInt(nanos));
}

function dollars(picos: string): string {
  return picos.startsWith('-') ? `-$${picoUsd(picos.slice(1))}` : `$${picoUsd(picos)}`;
}

/** Pico-dollars (1e-12 USD) as US dollars. */
function picoUsd(picos: string): string {
  return withPoint(picos, 12);
}

/** Pico-dollars per token are micro-dollars per million tokens. */
function perMillion(picosPerToken: string): string {
  return withPoint(picosPerToken, 6);
}

/** A whole number with its point moved `places` to the left, without trailing zeros. */
function withPoint(whole: string, places: number): string {
  const digits = whole.padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '');
  return `${digits.slice(0, -places)}${fraction && `.${fraction}`}`;
}
