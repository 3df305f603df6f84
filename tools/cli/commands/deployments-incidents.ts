import { incidentOperations, mostIncidents, type Incident } from '@tollgate/contracts';
import { Command } from 'commander';
import type { Surroundings } from '../gateway';
import { table } from '../text/table';

/** `deployments incidents`: when deployments were kept away from callers, why and by whom. */
export function deploymentsIncidents({ gateway, output }: Surroundings): Command {
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
      output.show(told, json, () => shown(told));
    });
}

function shown({ incidents, isWhole }: { incidents: readonly Incident[]; isWhole: boolean }): string {
  if (incidents.length === 0) return 'No deployment was kept away from callers in the last 90 days.';
  const lines = table(['deployment', 'provider', 'kind', 'since', 'until', 'kept from', 'why'], incidents.map(row));
  return isWhole ? lines : `${lines}\n\nThere are older ones: --all shows them.`;
}

function row({ deployment, provider, kind, since, until, callers, why, by }: Incident): string[] {
  const from = callers === null ? 'everybody' : `${callers} ${callers === 1 ? 'caller' : 'callers'}`;
  const reasons = [by, why].filter((text) => text !== null).join(': ');
  return [deployment, provider, kind, instant(since), until === null ? 'now' : instant(until), from, reasons];
}

const instant = (atMs: number) => new Date(atMs).toISOString();
