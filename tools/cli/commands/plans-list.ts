import { administrationOperations } from '@tollgate/contracts';
import { Command } from 'commander';
import type { Surroundings } from '../gateway';
import { table } from '../text/table';
import { limit } from '../text/values';

/** `plans list`: the plans in force, with their limits. */
export function plansList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description('show the plans that keys and accounts may have')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { plans } = await gateway.call(administrationOperations.listPlans, {});
      output.show({ plans }, json, () =>
        table(
          ['plan', 'rpm', 'tpm', 'tokens/month', 'at once'],
          plans.map(({ name, rpm, tpm, quotaTokens, concurrency }) => [
            name,
            ...[rpm, tpm, quotaTokens, concurrency].map(limit),
          ]),
        ),
      );
    });
}
