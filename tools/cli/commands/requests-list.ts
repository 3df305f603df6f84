import { decimalFromNanoUsd } from '@tollgate/contracts';
import type { PriceDoubt } from '@tollgate/contracts/catalog';
import { reportOperations, type LoggedRequest } from '@tollgate/contracts/metering';
import { Command } from 'commander';
import { readPageSize, timeOption } from '../arguments/arguments';
import { namedAccount } from '../arguments/named-account';
import { priceDoubts } from '../catalog/price-doubts';
import type { MakeCommand, Surroundings } from '../gateway';
import { table } from '../text/table';
import { instant, unconfirmedMark } from '../text/values';

export const commands: readonly MakeCommand[] = [requestsList];

interface Options {
  account?: string;
  key?: string;
  model?: string;
  since: number;
  limit: number;
  json?: boolean;
}

/** `requests list`: single requests, the newest first, without their text. */
function requestsList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description('show the newest requests that reached a provider or the cache, without their text')
    .option('--account <id or email>', 'only of this account')
    .option('--key <id>', 'only of this key')
    .option('--model <id>', 'only to this model')
    .addOption(timeOption('--since <length of time>', 'only those that ended since, e.g. 1h', '24h'))
    .option('--limit <number>', 'how many', readPageSize(200), 50)
    .option('--json', 'print JSON')
    .action(async ({ account, key, model, since, limit, json }: Options) => {
      const endAt = Date.now();
      const { requests } = await gateway.call(reportOperations.listRequests, {
        accountId: await namedAccount(gateway, account),
        keyIds: key === undefined ? undefined : [key],
        model,
        startAt: endAt - since * 1_000,
        endAt,
        limit,
      });
      const known = requests.length === 0 ? new Map<string, PriceDoubt>() : await priceDoubts(gateway);
      const shown = requests.map((request) => ({ ...request, ...known.get(request.model) }));
      output.show({ requests: shown }, json, () =>
        requests.length === 0 ? 'There are no such requests.' : requestTable(shown),
      );
    });
}

function requestTable(requests: readonly LoggedRequest[]): string {
  const doubt = requests.some(({ priceUnconfirmed }) => priceUnconfirmed) ? `\n\n${unconfirmedMark}` : '';
  const rows = table(
    ['ended', 'request', 'key', 'model', 'provider', 'state', 'input', 'output', 'usd'],
    requests.map(
      ({ endedAt, requestId, keyId, model, provider, state, status, usage, costNanoUsd, priceUnconfirmed }) => [
        ...[instant(endedAt), requestId, keyId, model, provider ?? '', `${state} ${status}`],
        ...[String(usage.input), String(usage.output)],
        costNanoUsd === null ? 'unpriced' : `${decimalFromNanoUsd(BigInt(costNanoUsd))}${priceUnconfirmed ? '?' : ''}`,
      ],
    ),
  );
  return rows + doubt;
}
