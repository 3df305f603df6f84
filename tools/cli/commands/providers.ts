import { inferenceOperations } from '@tollgate/contracts/inference';
import { Command } from 'commander';
import { exitCodes, Refusal } from '../failure';
import type { MakeCommand, Surroundings } from '../gateway';
import { table } from '../text/table';
import { providersKey, providersList, providersRemove, providersReseal, providersSet } from './providers-set';

/** A model may have to be loaded for its token. */
const timeoutMs = 90_000;

/**
 * `providers check`: asks each provider for its models and one token.
 * @throws Refusal when one fails, after all were shown.
 */
function providersCheck({ gateway, output }: Surroundings): Command {
  return new Command('check')
    .description('ask each provider, from where inference runs, for its models and one token')
    .argument('[provider]', 'this one only')
    .option('--json', 'print JSON')
    .action(async (provider: string | undefined, { json }: { json?: boolean }) => {
      const request = { provider: provider ?? null };
      const { checks } = await gateway.call(inferenceOperations.checkProviders, request, { timeoutMs });
      output.show({ checks }, json, () =>
        table(
          ['provider', 'good', 'address', 'what it says'],
          checks.map(({ provider: id, ok, url, says }) => [id, ok ? 'yes' : 'NO', url, says]),
        ),
      );
      const failing = checks.filter(({ ok }) => !ok).map(({ provider: id }) => id);
      if (failing.length > 0) throw new Refusal(`Not good: ${failing.join(', ')}.`, exitCodes.refused);
    });
}

export const commands: readonly MakeCommand[] = [
  providersCheck,
  providersList,
  providersSet,
  providersKey,
  providersRemove,
  providersReseal,
];
