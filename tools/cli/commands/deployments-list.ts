import { healthReport, healthSubjects } from '@tollgate/contracts';
import type { DeploymentHealth, ProviderKeyRest } from '@tollgate/contracts';
import { Command } from 'commander';
import type { Surroundings } from '../gateway';
import { printable, table } from '../text/table';

/** Every instance tells of its deployments at least every five seconds. */
const listenMs = 5_500;

/** `deployments list`: how each inference instance sees the deployments that it tried. */
export function deploymentsList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description(
      'show which deployments are left alone, by which instance, for whom and why (listens for five seconds)',
    )
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const heard = await gateway.hear(healthSubjects.report, healthReport, listenMs);
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

function shown(deployments: readonly Told<DeploymentHealth>[], restingKeys: readonly Told<ProviderKeyRest>[]): string {
  const columns = ['deployment', 'provider', 'instance', 'state', 'for', 'why'];
  const counts = ['since', 'again in', 'running', 'waiting', 'at most'];
  const states = table([...columns, ...counts], deployments.map(row));
  return restingKeys.length === 0 ? states : `${states}\n\n${restingKeys.map(keyLine).join('\n')}`;
}

function keyLine({ provider, key, deployment, status, restsForMs, instance }: Told<ProviderKeyRest>): string {
  const where = deployment === null ? 'everywhere' : `at ${deployment}`;
  const how = `was refused (${status}) and rests ${where} for ${seconds(restsForMs)}`;
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
    isClosed ? 'in use' : state === 'open' ? 'left alone' : onTrial(one.probes),
    isClosed ? '' : one.callers === null ? 'everybody' : `${one.callers} ${one.callers === 1 ? 'caller' : 'callers'}`,
    why ?? '',
    openForMs === null ? '' : seconds(openForMs),
    retryInMs === 0 ? '' : seconds(retryInMs),
    String(inFlight),
    String(waiting),
    concurrencyLimit === null ? '' : String(concurrencyLimit),
  ];
}

function onTrial(probes: number): string {
  return probes === 0 ? 'on trial' : `on trial, ${probes} ${probes === 1 ? 'probe' : 'probes'}`;
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1_000)} s`;
}
