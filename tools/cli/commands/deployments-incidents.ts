import { incidentOperations, mostIncidents, type Incident } from '@tollgate/contracts';
import { Command } from 'commander';
import type { Surroundings } from '../gateway';
import { table } from '../text/table';

/** `deployments incidents`: when deployments were kept away from callers, why and by whom. */
export function deploymentsIncidents({ gateway, output }: Surroundings): Command {
  return new Command('incidents')
    .description('show when deployments were kept away from callers, why and by whom, the newest first')
    .option('--provider <id>', 'of this provider only')
    .option('--json', 'print JSON')
    .action(async ({ provider, json }: { provider?: string; json?: boolean }) => {
      const told = await gateway.call(incidentOperations.list, { provider, limit: mostIncidents });
      output.show(told, json, () => shown(told));
    });
}

function shown({ incidents, isWhole }: { incidents: readonly Incident[]; isWhole: boolean }): string {
  if (incidents.length === 0) return 'No deployment was kept away from callers in the last 90 days.';
  const lines = table(['deployment', 'provider', 'kind', 'since', 'until', 'kept from', 'why'], incidents.map(row));
  return isWhole ? lines : `${lines}\n\nThere are older ones.`;
}

function row({ deployment, provider, kind, since, until, callers, why, by }: Incident): string[] {
  const from = callers === null ? 'everybody' : `${callers} ${callers === 1 ? 'caller' : 'callers'}`;
  const reasons = [by, why].filter((text) => text !== null).join(': ');
  return [deployment, provider, kind, instant(since), until === null ? 'now' : instant(until), from, reasons];
}

const instant = (atMs: number) => new Date(atMs).toISOString();
