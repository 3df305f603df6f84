import { ControlError, releasesOf } from '@tollgate/contracts';
import type { RunningInstance } from '@tollgate/contracts';
import { accountsOperations } from '@tollgate/contracts/accounts';
import { catalogOperations, hasOldPrices } from '@tollgate/contracts/catalog';
import type { CatalogSnapshot } from '@tollgate/contracts/catalog';
import { meteringOperations } from '@tollgate/contracts/metering';
import { Command } from 'commander';
import type { z } from 'zod';
import { modelListing } from '../catalog/model-listing';
import { exitCodes, Refusal, unlessRemote } from '../failure';
import type { Gateway, Surroundings } from '../gateway';
import { table } from '../text/table';
import { limit } from '../text/values';

/** How one service is: `answers` false means that it gave no answer in time; `detail` is for people. */
interface Answer {
  service: string;
  answers: boolean;
  detail: string;
}

interface ServiceStatus extends Answer {
  instances: RunningInstance[];
}

/** How all of them are. `releases` is null where instances could not be heard. */
interface Standing {
  services: ServiceStatus[];
  releases: readonly string[] | null;
}

/** How long instances may take to tell of themselves. */
const instancesWaitMs = 1_000;

/**
 * `status`: asks every service how it is, and every instance which release it runs.
 * @throws Refusal when one does not answer, after all were shown.
 */
export function status({ gateway, output }: Surroundings): Command {
  return new Command('status').option('--json', 'print JSON').action(async ({ json }: { json?: boolean }) => {
    const { services, releases } = await askServices(gateway);
    output.show({ services, releases: releases ?? [] }, json, () =>
      [servicesTable(services), ...(releases ? severalReleases(releases) : [notHeard])].join('\n'),
    );
    const silent = services.filter(({ answers }) => !answers).map(({ service }) => service);
    if (silent.length > 0) throw new Refusal(`Not available: ${silent.join(', ')}.`, exitCodes.unavailable);
  });
}

/**
 * Asks every service, and every instance which release it runs.
 * @throws Refusal where NATS, or the admin API, does not answer
 */
export async function askServices(gateway: Gateway): Promise<Standing> {
  const instances = await gateway.instances(instancesWaitMs);
  const answers = await Promise.all([
    ask('accounts', () => accountsDetail(gateway)),
    ask('catalog', () => catalogDetail(gateway)),
    ask('metering', () => meteringDetail(gateway)),
  ]);
  const of = (service: string): RunningInstance[] => instances?.filter((one) => one.service === service) ?? [];
  const others = instances ? ['edge', 'inference'] : [];
  const services: ServiceStatus[] = [
    ...others.map((service) => ({ service, answers: of(service).length > 0, detail: '' })),
    ...answers,
  ].map((one) => ({ ...one, instances: of(one.service) }));
  return { services, releases: instances ? releasesOf(instances) : null };
}

function servicesTable(services: readonly ServiceStatus[]): string {
  return table(
    ['service', 'answers', 'instances', 'detail'],
    services.map(({ service, answers, instances, detail }) => [
      service,
      answers ? 'yes' : 'NO',
      releasesOf(instances)
        .map((release) => `${instances.filter(({ version }) => version === release).length} of ${release}`)
        .join(', ') || 'none heard',
      detail,
    ]),
  );
}

/** An upgrade lets NATS read its users first: docs/operate.md. */
export const notHeard =
  'Which instances run is not known: nats-server has not read its users since the upgrade (docker compose kill -s HUP nats).';

export function severalReleases(releases: readonly string[]): string[] {
  return releases.length < 2
    ? []
    : [`Several releases run (${releases.join(', ')}): an upgrade is under way, or was left half-way.`];
}

async function ask(service: string, detail: () => Promise<string>): Promise<Answer> {
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
  const snapshot = await unlessRemote(gateway.call(catalogOperations.snapshot, {}));
  if (snapshot === null) return listedDetail(await gateway.askEdge(modelListing, {}));
  const { models, available, sandbox, revision, factsAsOf } = snapshot;
  return `${available.length} of ${models.length} models live, revision ${revision}${sandbox ? ', sandbox' : ''}${ageOf(factsAsOf)}${oldPrices(snapshot)}`;
}

function listedDetail({ data, factsAsOf }: z.output<typeof modelListing.answer>): string {
  const live = data.filter(({ available }) => available);
  const old = live.filter(({ pricing }) => pricing?.old === true);
  const prices = old.length === 0 ? '' : `, ${old.length} live models have old prices`;
  return `${live.length} of ${data.length} models live${ageOf(factsAsOf)}${prices}`;
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
