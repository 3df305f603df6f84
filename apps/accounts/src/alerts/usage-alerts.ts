import { Inject, Injectable } from '@nestjs/common';
import {
  contentLogSubjects,
  driftOfModels,
  droppedContent,
  invoiceOperations,
  meteringOperations,
  type DroppedContent,
} from '@tollgate/contracts/metering';
import { ControlClient, subscribeJson } from '@tollgate/messaging';
import { NATS, PeriodicWork } from '@tollgate/service';
import type { NatsConnection } from 'nats';
import { AccountsSettings } from '../settings';
import { Storage } from '../storage';
import { areAlertsSent } from './tell-alert';
import { tellOnce, tellOver } from './told-alerts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const deadLettersEveryMs = 60_000;
const billsEveryMs = 600_000;
/** How far back the newest bill of each provider is looked for, and how long it is known that it was told. */
const billsOfDays = 14;
const billsTimeoutMs = 30_000;
/** A bill may be off by so much, pico-dollars, beside one percent of it: as the alert BillDiffers has it. */
const toleratedPicoUsd = 10_000_000_000n;

/**
 * Tells webhooks of usage that could not be stored, once until there is none; of the newest day of which a
 * provider bills otherwise than our prices make of it; and, once an hour, that edges dropped what should have
 * been logged.
 */
@Injectable()
export class UsageAlerts {
  constructor(
    @Inject(NATS) connection: NatsConnection,
    private readonly storage: Storage,
    private readonly control: ControlClient,
    private readonly settings: AccountsSettings,
    work: PeriodicWork,
  ) {
    const failure = 'webhooks could not be told how usage stands; trying again shortly';
    const now = (): number => Date.now();
    const letters = { name: 'alerts of dead letters', everyMs: deadLettersEveryMs, failure };
    work.add({ ...letters, run: () => this.tellDeadLetters() });
    work.add({ name: 'alerts of bills', everyMs: billsEveryMs, failure, run: () => this.tellBills(now()) });
    subscribeJson(connection, contentLogSubjects.dropped, droppedContent, (dropped) =>
      this.tellDropped(dropped, now()),
    );
  }

  /** @throws ControlError `unavailable` when metering or Postgres is away. */
  async tellDeadLetters(): Promise<void> {
    if (!(await this.storage.read(areAlertsSent))) return;
    const { deadLetters } = await this.control.call(meteringOperations.status, {}, { absentMs: 0 });
    const name = 'usage.dead_letters';
    if (deadLetters === 0) return this.storage.transaction((queries) => tellOver(queries, [name], null));
    const what = deadLetters === 1 ? 'A message with usage' : `${deadLetters} messages with usage`;
    const text = `${what} could not be stored, and ${deadLetters === 1 ? 'is' : 'are'} on nobody's bill.`;
    const alert = {
      kind: name,
      text,
      advice: 'The page tells why: usually metering is older than inference. Upgrade it, then replay them.',
      link: `${this.settings.people.publicUrl}/admin/dead-letters`,
      data: { dead_letters: deadLetters },
    } as const;
    await this.storage.transaction((queries) => tellOnce(queries, name, alert, null));
  }

  /** `now`: epoch milliseconds. @throws ControlError `unavailable` when metering or Postgres is away. */
  async tellBills(now: number): Promise<void> {
    if (!(await this.storage.read(areAlertsSent))) return;
    const [from, to] = [now - billsOfDays * dayMs, now].map((at) => new Date(at).toISOString().slice(0, 10));
    const asked = { from: from ?? '', to: to ?? '' };
    const patience = { timeoutMs: billsTimeoutMs, absentMs: 0 };
    const { lines, bills } = await this.control.call(invoiceOperations.drift, asked, patience);
    for (const provider of new Set(bills.map((bill) => bill.provider))) {
      // The newest comes first.
      const day = bills.find((bill) => bill.provider === provider && bill.ratedAt !== null)?.day;
      const ofDay = lines.filter((line) => line.provider === provider && line.day === day);
      const billed = ofDay.reduce((sum, line) => sum + BigInt(line.billedPicoUsd ?? '0'), 0n);
      const drift = driftOfModels(ofDay);
      if (day === undefined || drift <= billed / 100n + toleratedPicoUsd) continue;
      const [billedUsd, driftUsd] = [billed, drift].map(inDollars);
      const alert = {
        kind: 'bill.drift',
        text: `${provider} bills $${billedUsd} for ${day}, which is $${driftUsd} away from our prices.`,
        advice: 'See which lines differ. Correct a price that is wrong; other programs must not use the same account.',
        link: `${this.settings.people.publicUrl}/admin/bills`,
        data: { provider, day, billed_usd: billedUsd ?? null, drift_usd: driftUsd ?? null },
      } as const;
      const forgetAt = new Date(now + 2 * billsOfDays * dayMs);
      await this.storage.transaction((queries) => tellOnce(queries, `bill.drift ${provider} ${day}`, alert, forgetAt));
    }
  }

  /** Every instance hears it, of every edge: the first tells of what it heard. @throws ControlError. */
  async tellDropped({ edge, entries, reasons }: DroppedContent, now: number): Promise<void> {
    if (!(await this.storage.read(areAlertsSent))) return;
    const why = Object.keys(reasons).sort().join(', ');
    const what = entries === 1 ? 'a request that was to be logged' : `${entries} requests that were to be logged`;
    const alert = {
      kind: 'content.dropped',
      text: `An edge dropped ${what} (${why}).`,
      advice: `The texts are gone; no request failed, and nothing is missing from bills. ${remedyOf(Object.keys(reasons))}`,
      link: `${this.settings.people.publicUrl}/admin/fleet`,
      data: { edge, entries, reasons: why },
    } as const;
    await this.storage.transaction((queries) => tellOnce(queries, 'content.dropped', alert, new Date(now + hourMs)));
  }
}

/** What stops content from being dropped, by why it was. Edges of later releases may know other reasons. */
const remedies: Readonly<Record<string, string>> = {
  full: 'Bring back metering, or Postgres: they were away for too long.',
  stopped: 'An edge ended while metering was away.',
  too_large: 'Let NATS take larger messages (max_payload), or lower maxBodyBytes of the content log.',
  refused: 'Metering is older than the edges: upgrade it.',
  failed: "The edge's log tells what went wrong.",
};

function remedyOf(reasons: readonly string[]): string {
  return reasons.flatMap((reason) => remedies[reason] ?? []).join(' ');
}

/** To the cent: single lines are told by reconcile. */
function inDollars(picoUsd: bigint): string {
  return (Number(picoUsd) / 1e12).toFixed(2);
}
