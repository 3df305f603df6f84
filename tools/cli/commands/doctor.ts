import { settingFaults } from '@tollgate/configuration';
import { ControlError } from '@tollgate/contracts';
import { meteringOperations } from '@tollgate/contracts/metering';
import { Command } from 'commander';
import { Refusal } from '../failure';
import type { Gateway, Surroundings } from '../gateway';
import { askServices, notHeard, severalReleases } from './status';

/**
 * `doctor`: what `check` reads before a start, and what runs, at any time later. From another machine what
 * runs alone: its settings are not those of the gateway.
 * @throws Refusal naming everything that is wrong, a sentence each.
 */
export function doctor({ environment, gateway, output }: Surroundings): Command {
  return new Command('doctor').option('--json', 'print JSON').action(async ({ json }: { json?: boolean }) => {
    const settings = environment['TOLLGATE_URL'] ? [] : settingFaults(environment);
    const faults = [...settings, ...(await faultsOfWhatRuns(gateway))];
    if (faults.length === 0 || json) output.show({ faults }, json, () => 'Nothing is wrong.');
    if (faults.length > 0 && json) throw new Refusal('Something is wrong.');
    if (faults.length > 0) throw new Refusal(['Something is wrong:', ...faults].join('\n  - '));
  });
}

/** Where NATS does not answer, that alone: the settings are told all the same. */
async function faultsOfWhatRuns(gateway: Gateway): Promise<string[]> {
  try {
    const { services, releases } = await askServices(gateway);
    const silent = services.filter(({ answers }) => !answers).map(({ service }) => service);
    return [
      ...silent.map((service) => `${service} does not answer: docker compose ps -a, docker compose logs ${service}`),
      ...(releases ? severalReleases(releases) : [notHeard]),
      ...(silent.includes('metering') ? [] : await faultsOfUsage(gateway)),
    ];
  } catch (error) {
    if (error instanceof Refusal) return [error.message];
    throw error;
  }
}

async function faultsOfUsage(gateway: Gateway): Promise<string[]> {
  const told = await gateway.call(meteringOperations.status, {}).catch(messageOf);
  if (typeof told === 'string') return [told];
  const { deadLetters, copies } = told;
  return [
    ...(deadLetters > 0 ? [`Usage that could not be stored: ${deadLetters} (tollgate dead-letters list)`] : []),
    ...(copies && copies.kept < copies.wanted
      ? [`Usage is kept in ${copies.kept} of ${copies.wanted} copies: a NATS server is away or behind`]
      : []),
  ];
}

/** @throws what is no refusal of a service */
function messageOf(error: unknown): string {
  if (error instanceof ControlError) return error.message;
  throw error;
}
