import { accountsOperations } from '@tollgate/contracts/accounts';
import { Command } from 'commander';
import {
  accountReference,
  readLimit,
  toLimit,
  type TypedLimit,
  readDurationS,
  readFutureMs,
  gatherPatterns,
  readProject,
} from '../arguments/arguments';
import { gatherModelLimits } from '../arguments/model-limit';
import type { ModelLimit } from '../arguments/model-limit';
import type { Surroundings } from '../gateway';
import { newKey } from '../text/key';

interface Options {
  name: string;
  account?: string;
  plan?: string;
  rpm?: TypedLimit;
  tpm?: TypedLimit;
  quota?: TypedLimit;
  models?: string[];
  modelLimit?: ModelLimit[];
  cache?: number;
  logContent?: boolean;
  tellCost?: boolean;
  tags?: string[];
  project?: string;
  expires?: number;
  json?: boolean;
}

/** `keys create`: makes a key and prints it, the only time it can be read. */
export function keysCreate({ gateway, output, actor }: Surroundings): Command {
  return new Command('create')
    .description('make an API key; it is printed once')
    .requiredOption('--name <name>', 'what the key is for')
    .option('--account <id or email>', "whose key it is (the operator's own account when absent)")
    .option('--plan <plan>', "the plan of this key (the account's plan when absent)")
    .option('--rpm <number>', 'requests a minute, or unlimited (the plan decides when absent)', readLimit)
    .option('--tpm <tokens>', 'tokens a minute, or unlimited (the plan decides when absent)', readLimit)
    .option('--quota <tokens>', 'tokens a month, or unlimited (the plan decides when absent)', readLimit)
    .option('--models <patterns>', "allowed models, e.g. 'openai/*'; repeat it or use commas", gatherPatterns)
    .option(
      '--model-limit <limit>',
      "what it may ask of models a minute, e.g. 'openai/*:rpm=60,tpm=100000'; repeat it",
      gatherModelLimits,
    )
    .option(
      '--cache <length of time>',
      'cache answers for so long, e.g. 10m (only where a request asks when absent)',
      readDurationS,
    )
    .option('--tell-cost', 'tell each request its charge (x-tollgate-cost)')
    .option(
      '--tags <tags>',
      'tags that each of its requests has, e.g. team=search; repeat it or use commas',
      gatherPatterns,
    )
    .option(
      '--project <name>',
      'what it is for, with others of the account; budgets of the project hold for it',
      readProject,
    )
    .option('--log-content', 'log requests and answers, where contentLog of tollgate.yaml allows it')
    .option('--expires <when>', 'a date (2027-01-31) or a length of time (30d); never when absent', (text) =>
      readFutureMs(text),
    )
    .option('--json', 'print JSON')
    .action(
      async ({
        name,
        account,
        plan,
        rpm,
        tpm,
        quota,
        models,
        modelLimit,
        cache,
        logContent,
        tellCost,
        tags,
        project,
        expires,
        json,
      }: Options) => {
        const reply = await gateway.call(accountsOperations.createKey, {
          ...(account === undefined ? {} : accountReference(account)),
          name,
          plan,
          rpm: toLimit(rpm),
          tpm: toLimit(tpm),
          quotaTokens: toLimit(quota),
          models,
          modelLimits: modelLimit,
          cacheTtlS: cache,
          logContent,
          tellCost,
          tags,
          project,
          expiresAt: expires,
          actor,
        });
        output.show(reply, json, () => newKey(reply.apiKey, reply.key, Date.now()));
      },
    );
}
