import { administrationOperations } from '@tollgate/contracts/accounts';
import { catalogOperations, type Incident, incidentOperations, mostIncidents } from '@tollgate/contracts/catalog';
import { deploymentList, type ListedDeployment } from '@tollgate/contracts/edge';
import {
  deploymentHealth,
  type DeploymentHealth,
  healthReport,
  healthSubjects,
  type ProviderKeyRest,
  whyKeyRests,
} from '@tollgate/contracts/inference';
import { Command } from 'commander';
import { readDurationS } from '../arguments/arguments';
import { unlessRemote } from '../failure';
import type { MakeCommand, Surroundings } from '../gateway';
import { printable, table } from '../text/table';

/** Every instance tells of its deployments at least every five seconds. */
const listenMs = 5_500;

/**
 * `deployments list`: how each inference instance sees the deployments that it tried; by the admin API, how
 * all of them together do.
 */
function deploymentsList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description(
      'show which deployments are left alone, by which instance, for whom and why (listens for five seconds); with TOLLGATE_URL, by the instance that sees the worst',
    )
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const heard = await unlessRemote(gateway.hear(healthSubjects.report, healthReport, listenMs));
      if (heard === null) {
        const told = await gateway.askEdge(deploymentList, {});
        return output.show(told, json, () => shown(told.data.flatMap(asToldByAll), []));
      }
      const instances = new Map(heard.map(({ instance, deployments }) => [instance, deployments]));
      const deployments = [...instances].flatMap(([instance, seen]) => seen.map((one) => ({ instance, ...one })));
      const keys = new Map(heard.map(({ instance, restingKeys }) => [instance, restingKeys]));
      const restingKeys = [...keys].flatMap(([instance, resting]) => resting.map((one) => ({ instance, ...one })));
      output.show({ instances: [...instances.keys()], deployments, restingKeys }, json, () =>
        instances.size === 0 ? 'No inference instance was heard.' : shown(deployments, restingKeys),
      );
    });
}

type Told<One> = One & { instance: string };

/** Those that no instance tried and nobody holds are not of interest. */
function asToldByAll({ id, provider, held, standing }: ListedDeployment): Told<DeploymentHealth>[] {
  if (standing === null && held === null) return [];
  const { instances, ...seen } = standing ?? { ...untried, instances: 0 };
  return [{ ...seen, deployment: id, provider, held, instance: `all ${instances}` }];
}

const untried = deploymentHealth.parse({
  deployment: '',
  provider: '',
  state: 'closed',
  timesOpened: 0,
  retryInMs: 0,
  concurrencyLimit: null,
});

function shown(deployments: readonly Told<DeploymentHealth>[], restingKeys: readonly Told<ProviderKeyRest>[]): string {
  const columns = ['deployment', 'provider', 'instance', 'state', 'for', 'why'];
  const counts = ['since', 'again in', 'running', 'waiting', 'at most'];
  const states = table([...columns, ...counts], deployments.map(row));
  return restingKeys.length === 0 ? states : `${states}\n\n${restingKeys.map(keyLine).join('\n')}`;
}

function keyLine({ provider, key, deployment, status, restsForMs, instance }: Told<ProviderKeyRest>): string {
  const where = deployment === null ? 'everywhere' : `at ${deployment}`;
  const how = `${whyKeyRests({ status, deployment })} and rests ${where} for ${seconds(restsForMs)}`;
  return printable(`Key ${key} of ${provider} ${how} (${instance}).`);
}

function row(one: Told<DeploymentHealth>): string[] {
  const { deployment, provider, instance, state, why, openForMs, retryInMs, inFlight, waiting, concurrencyLimit } = one;
  const isClosed = state === 'closed';
  const { held } = one;
  if (held) {
    const until = held.until === null ? '' : `until ${new Date(held.until).toISOString()}`;
    const decided = `${held.by}${held.reason === null ? '' : `: ${held.reason}`}`;
    const since = seconds(Date.now() - held.since);
    return [deployment, provider, instance, held.state, 'everybody', decided, since, until, String(inFlight), '', ''];
  }
  return [
    deployment,
    provider,
    instance,
    isClosed ? inUse(one) : state === 'open' ? 'left alone' : onTrial(one.probes),
    isClosed ? '' : one.callers === null ? 'everybody' : `${one.callers} ${one.callers === 1 ? 'caller' : 'callers'}`,
    why ?? '',
    openForMs === null ? '' : seconds(openForMs),
    retryInMs === 0 ? '' : seconds(retryInMs),
    String(inFlight),
    String(waiting),
    concurrencyLimit === null ? '' : String(concurrencyLimit),
  ];
}

/** What nobody asks any more is known as it was, and may have room by now. */
const oldAfterMs = 15_000;

function inUse({ answersNobody, lastBusyMs }: DeploymentHealth): string {
  if (!answersNobody) return 'in use';
  return lastBusyMs !== null && lastBusyMs > oldAfterMs
    ? `busy for all when last asked, ${seconds(lastBusyMs)} ago`
    : 'busy for all';
}

function onTrial(probes: number): string {
  return probes === 0 ? 'on trial' : `on trial, ${probes} ${probes === 1 ? 'probe' : 'probes'}`;
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1_000)} s`;
}

interface HoldOptions {
  reason?: string;
  for?: number;
  json?: boolean;
}

const acts = {
  closed: {
    name: 'close',
    action: 'deployment-closed',
    what: 'send a deployment no request, and end those that run there',
  },
  draining: {
    name: 'drain',
    action: 'deployment-drained',
    what: 'send a deployment no new request; those that run there end by themselves',
  },
  open: { name: 'open', action: 'deployment-opened', what: 'let requests go to a deployment again' },
} as const;

/**
 * `deployments close`, `drain` and `open`: what an operator decides of one deployment, at every inference
 * instance.
 */
const deploymentsClose = (surroundings: Surroundings): Command => command('closed', surroundings);
const deploymentsDrain = (surroundings: Surroundings): Command => command('draining', surroundings);
const deploymentsOpen = (surroundings: Surroundings): Command => command('open', surroundings);

function command(state: keyof typeof acts, { gateway, output, actor }: Surroundings): Command {
  const { name, action, what } = acts[state];
  const made = new Command(name)
    .description(what)
    .argument('<id>', 'the deployment, as deployments list and tollgate.yaml name it')
    .option('--reason <text>', 'why, for the audit log and other operators; callers are not told');
  if (state !== 'open') made.option('--for <time>', 'for so long (30m, 2h), then it opens by itself', readDurationS);
  return made.option('--json', 'print JSON').action(async (deployment: string, options: HoldOptions) => {
    const { reason, for: forS, json } = options;
    const detail = { deployment, reason: reason ?? null, forS: forS ?? null };
    await gateway.call(administrationOperations.recordAct, { actor, action, detail });
    const reply = await gateway.call(catalogOperations.holdDeployment, { deployment, state, reason, forS, by: actor });
    const until = reply.held?.until ?? null;
    const end = until === null ? '' : ` until ${new Date(until).toISOString()}`;
    output.show(reply, json, () => `${deployment} is ${state}${end}.`);
  });
}

/** `deployments incidents`: when deployments were kept away from callers, why and by whom. */
function deploymentsIncidents({ gateway, output }: Surroundings): Command {
  return new Command('incidents')
    .description('show when deployments were kept away from callers, why and by whom, the newest first')
    .option('--provider <id>', 'of this provider only')
    .option('--all', `those that are kept, and not only the newest ${mostIncidents}`)
    .option('--json', 'print JSON')
    .action(async ({ provider, all, json }: { provider?: string; all?: boolean; json?: boolean }) => {
      const read = (after?: string) => gateway.call(incidentOperations.list, { provider, limit: mostIncidents, after });
      let { incidents, isWhole, next } = await read();
      while (all && next !== null) {
        const page = await read(next);
        incidents = [...incidents, ...page.incidents];
        ({ isWhole, next } = page);
      }
      const told = { incidents, isWhole };
      output.show(told, json, () => incidentsText(told));
    });
}

function incidentsText({ incidents, isWhole }: { incidents: readonly Incident[]; isWhole: boolean }): string {
  if (incidents.length === 0) return 'No deployment was kept away from callers in the last 90 days.';
  const lines = table(
    ['deployment', 'provider', 'kind', 'since', 'until', 'kept from', 'why'],
    incidents.map(incidentRow),
  );
  return isWhole ? lines : `${lines}\n\nThere are older ones: --all shows them.`;
}

function incidentRow({ deployment, provider, kind, since, until, callers, why, by }: Incident): string[] {
  const from = callers === null ? 'everybody' : `${callers} ${callers === 1 ? 'caller' : 'callers'}`;
  const reasons = [by, why].filter((text) => text !== null).join(': ');
  return [deployment, provider, kind, instant(since), until === null ? 'now' : instant(until), from, reasons];
}

const instant = (atMs: number) => new Date(atMs).toISOString();

export const commands: readonly MakeCommand[] = [
  deploymentsList,
  deploymentsIncidents,
  deploymentsClose,
  deploymentsDrain,
  deploymentsOpen,
];
