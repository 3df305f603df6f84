import { decimalFromPicoUsd, picoUsdFromDecimal } from '@tollgate/contracts';
import { billOperations, invoiceOperations } from '@tollgate/contracts/metering';
import type { DriftLine, ReadBill } from '@tollgate/contracts/metering';
import { Command } from 'commander';
import { setTimeout as delay } from 'node:timers/promises';
import { readDay } from '../arguments/arguments';
import { Refusal } from '../failure';
import type { Gateway, Surroundings } from '../gateway';
import { table } from '../text/table';
import { instant, limit } from '../text/values';

const readTimeoutMs = 300_000;
/** How long our side of a day is waited for, after its bill was read. */
const ratedWithinMs = 120_000;
const lookMs = 500;
const dayMs = 86_400_000;

interface Options {
  from?: string;
  to?: string;
  provider?: string;
  read?: boolean;
  all?: boolean;
  tolerance: string;
  json?: boolean;
}

/**
 * `reconcile`: shows how the bills of providers differ from what our prices make of the same days, by day,
 * model and kind. What attempts that nobody pays may have cost, estimated, stands apart as `perhaps`: a bill
 * that they explain does not differ.
 * @throws Refusal when they differ by more than `--tolerance`, or a bill could not be read, so that a script
 * notices.
 */
export function reconcile({ gateway, output }: Surroundings): Command {
  return new Command('reconcile')
    .option('--from <day>', 'the first day, such as 2026-11-01 (three days ago when absent)', readDay)
    .option('--to <day>', 'the last day (--from, or yesterday)', readDay)
    .option('--provider <id>', 'of one provider (all when absent)')
    .option('--read', 'read the bills of these days from their providers first')
    .option('--all', 'also the lines that do not differ')
    .option('--tolerance <dollars>', 'what all lines together may differ by', '0.01')
    .option('--json', 'print JSON')
    .action(async ({ from: asked, to: last, provider: of, read, all, tolerance, json }: Options) => {
      const provider = of ?? null;
      const from = asked ?? dayOf(Date.now() - 3 * dayMs);
      const to = last ?? asked ?? dayOf(Date.now() - dayMs);
      if (read) await readBills(gateway, daysBetween(from, to), provider);
      const reply = await rated(gateway, { from, to, provider });
      const lines = reply.lines.filter(({ driftPicoUsd }) => all === true || driftPicoUsd !== '0');
      output.show({ ...reply, lines }, json, () => report(lines, reply));
      const drift = reply.lines.reduce((sum, { driftPicoUsd }) => sum + absolute(BigInt(driftPicoUsd)), 0n);
      if (drift > picoUsdFromDecimal(tolerance))
        throw new Refusal(
          `The bills differ from the ledger by $${decimalFromPicoUsd(drift)}, all lines without their signs together. tollgate invoices requests <provider> <day> <model> <kind> names the requests.`,
        );
      const unread = reply.bills.filter(({ problem }) => problem !== null);
      if (unread.length > 0)
        throw new Refusal(unread.map((bill) => `${bill.provider}, ${bill.day}: ${bill.problem}`).join('\n'));
    });
}

async function readBills(gateway: Gateway, days: readonly string[], provider: string | null): Promise<void> {
  for (const day of days) await gateway.call(billOperations.read, { day, provider }, { timeoutMs: readTimeoutMs });
}

interface Reply {
  lines: DriftLine[];
  bills: ReadBill[];
}

/** The drift once our side of every bill is there. */
async function rated(gateway: Gateway, asked: { from: string; to: string; provider: string | null }): Promise<Reply> {
  const giveUpAt = Date.now() + ratedWithinMs;
  for (;;) {
    const reply = await gateway.call(invoiceOperations.drift, asked, { timeoutMs: 30_000 });
    const waiting = reply.bills.filter(({ ratedAt, problem }) => ratedAt === null && problem === null);
    if (waiting.length === 0) return reply;
    if (Date.now() > giveUpAt)
      throw new Refusal(
        `Our side of ${waiting.map(({ provider, day }) => `${provider} ${day}`).join(', ')} is still being worked out; try again.`,
      );
    await delay(lookMs);
  }
}

function report(lines: readonly DriftLine[], { lines: all, bills }: Reply): string {
  const told = bills.map(({ provider, day, source, readAt, problem }) => [
    day,
    provider,
    source,
    instant(readAt),
    ...besides(all.filter((line) => line.provider === provider && line.day === day)),
    problem ?? 'ok',
  ]);
  if (told.length === 0)
    return 'No bill of these days was read. Those of OpenAI, Anthropic and OpenRouter are read where inference has OPENAI_ADMIN_KEY, ANTHROPIC_ADMIN_KEY or OPENROUTER_API_KEY; the invoice of any other provider is imported: tollgate invoices import.';
  const rows = lines.map((line) => [
    line.day,
    line.provider,
    line.model,
    line.kind,
    dollars(line.billedPicoUsd),
    dollars(line.ratedPicoUsd),
    dollars(line.estimatedPicoUsd),
    dollars(line.driftPicoUsd),
    limit(line.requests),
    line.unpriced > 0 ? `${limit(line.unpriced)} unpriced` : '',
  ]);
  const found =
    rows.length === 0
      ? 'No line differs.'
      : table(['day', 'provider', 'model', 'kind', 'billed', 'ours', 'perhaps', 'drift', 'requests', ''], rows);
  const columns = ['day', 'provider', 'source', 'read', 'charged on to nobody', 'perhaps', 'result'];
  return `${table(columns, told)}\n\n${found}`;
}

/** What of our side no caller pays, and what of that kind is estimated, beside it. */
function besides(lines: readonly DriftLine[]): string[] {
  const sum = (picos: readonly string[]): string =>
    decimalFromPicoUsd(picos.reduce((all, each) => all + BigInt(each), 0n));
  return [
    sum(lines.map(({ unbilledPicoUsd }) => unbilledPicoUsd)),
    sum(lines.map(({ estimatedPicoUsd }) => estimatedPicoUsd)),
  ];
}

function dollars(picos: string | null): string {
  return picos === null ? 'none' : decimalFromPicoUsd(BigInt(picos));
}

function absolute(picos: bigint): bigint {
  return picos < 0n ? -picos : picos;
}

function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += dayMs) days.push(dayOf(at));
  return days;
}

function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
