import {
  accountsOperations,
  catalogOperations,
  ControlError,
  hasOldPrices,
  meteringOperations,
} from '@tollgate/contracts';
import type { CatalogSnapshot } from '@tollgate/contracts';
import { Command } from 'commander';
import { exitCodes, Refusal } from '../failure';
import type { Gateway, Surroundings } from '../gateway';
import { table } from '../text/table';
import { limit } from '../text/values';

/** How one service is: `answers` false means that it gave no answer in time; `detail` is for people. */
interface ServiceStatus {
  service: string;
  answers: boolean;
  detail: string;
}

/**
 * `status`: asks every control service how it is.
 * @throws Refusal when one does not answer, after all were shown.
 */
export function status({ gateway, output }: Surroundings): Command {
  return new Command('status')
    .description('ask every service how it is')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const services = await Promise.all([
        ask('accounts', () => accountsDetail(gateway)),
        ask('catalog', () => catalogDetail(gateway)),
        ask('metering', () => meteringDetail(gateway)),
      ]);
      output.show({ services }, json, () =>
        table(
          ['service', 'answers', 'detail'],
          services.map(({ service, answers, detail }) => [service, answers ? 'yes' : 'NO', detail]),
        ),
      );
      const silent = services.filter(({ answers }) => !answers).map(({ service }) => service);
      if (silent.length > 0) throw new Refusal(`Not available: ${silent.join(', ')}.`, exitCodes.unavailable);
    });
}

async function ask(service: string, detail: () => Promise<string>): Promise<ServiceStatus> {
  try {
    return { service, answers: true, detail: await detail() };
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    return { service, answers: false, detail: error.message };
  }
}

async function accountsDetail(gateway: Gateway): Promise<string> {
  const { accounts, next } = await gateway.call(accountsOperations.listAccounts, { status: 'pending', limit: 500 });
  return `${accounts.length}${next === null ? '' : ' or more'} waiting for approval`;
}

async function catalogDetail(gateway: Gateway): Promise<string> {
  const snapshot = await gateway.call(catalogOperations.snapshot, {});
  const { models, available, sandbox, revision, factsAsOf } = snapshot;
  return `${available.length} of ${models.length} models live, revision ${revision}${sandbox ? ', sandbox' : ''}${ageOf(factsAsOf)}${oldPrices(snapshot)}`;
}

/** How old the facts of the catalog are; nothing where that is not known. */
function ageOf(factsAsOf: string | null): string {
  if (factsAsOf === null) return '';
  const days = Math.max(0, Math.floor((Date.now() - Date.parse(factsAsOf)) / 86_400_000));
  return `, facts of ${factsAsOf} (${days} days old)`;
}

/** How many live models have prices that nobody has compared with their source for long. */
function oldPrices({ models, available, pricesOldAfterDays }: CatalogSnapshot): string {
  const live = new Set(available);
  const old = models.filter((model) => live.has(model.id) && hasOldPrices(model, pricesOldAfterDays, Date.now()));
  return old.length === 0 ? '' : `, ${old.length} live models have prices older than ${pricesOldAfterDays} days`;
}

async function meteringDetail(gateway: Gateway): Promise<string> {
  const { pendingEvents, deadLetters, reservedTokens, liveLeases, copies, madeAnew } = await gateway.call(
    meteringOperations.status,
    {},
  );
  const kept = copies ? ` in ${copies.kept} of ${copies.wanted} copies` : '';
  return `${limit(pendingEvents)} events waiting${kept}, ${limit(deadLetters)} unreadable, ${limit(reservedTokens)} tokens reserved by ${limit(liveLeases)} leases${newStream(madeAnew ?? null)}`;
}

/** Says that the stream of usage is a new one, where it is. */
function newStream(madeAt: number | null): string {
  if (madeAt === null) return '';
  return `; JetStream began anew at ${new Date(madeAt).toISOString()}: usage that waited in its former store is not here`;
}
