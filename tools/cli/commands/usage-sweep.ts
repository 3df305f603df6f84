import { ledgerOperations } from '@tollgate/contracts';
import { Command } from 'commander';
import { Refusal } from '../failure';
import type { Surroundings } from '../gateway';
import { table } from '../text/table';
import { instant, limit } from '../text/values';

interface Options {
  forget?: boolean;
  json?: boolean;
}

/**
 * `usage sweep`: shows reservations of quota whose usage event never came.
 * @throws Refusal when there are some, so that a script notices; not with `--forget`.
 */
export function usageSweep({ gateway, output }: Surroundings): Command {
  return new Command('sweep')
    .description('compare reservations of quota with usage events and show what is missing')
    .option('--forget', 'remove what is shown, after you looked into it')
    .option('--json', 'print JSON')
    .action(async ({ forget = false, json }: Options) => {
      const reply = await gateway.call(ledgerOperations.sweep, { forget });
      const { leases, count, tokens, pendingMessages } = reply;
      output.show(reply, json, () => {
        const waiting = `${limit(pendingMessages)} messages of usage wait to be stored.`;
        if (count === 0) return `Every reservation that ended is settled. ${waiting}`;
        const rows = leases.map((lease) => [
          lease.leaseId,
          lease.keyId,
          lease.edgeId,
          limit(lease.tokens),
          instant(lease.endedAt),
        ]);
        const sums = `${limit(count)} leases ended holding ${limit(tokens)} tokens that no usage event settled. ${waiting}`;
        return `${sums}\n\n${table(['lease', 'key', 'edge', 'tokens', 'ended'], rows)}${forget ? '\n\nThey are forgotten.' : ''}`;
      });
      if (count > 0 && !forget)
        throw new Refusal(
          'Usage may be missing: at most the tokens above. An edge that was killed also leaves tokens that no request used.\nLook into the logs of these edges, then remove the list with --forget.',
        );
    });
}
