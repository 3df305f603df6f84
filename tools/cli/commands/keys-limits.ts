import { accountsOperations } from '@tollgate/contracts';
import { Command } from 'commander';
import { readLimit, toLimit } from '../arguments/limit';
import type { TypedLimit } from '../arguments/limit';
import { gatherModelLimitsOrNone } from '../arguments/model-limit';
import type { ModelLimit } from '../arguments/model-limit';
import type { Surroundings } from '../gateway';
import { Refusal } from '../failure';
import { keyFacts } from '../text/key';

type Typed = TypedLimit | 'plan';

interface Options {
  rpm?: Typed;
  tpm?: Typed;
  quota?: Typed;
  modelLimit?: ModelLimit[] | 'none';
  json?: boolean;
}

/** `keys limits`: shows the limits of a key, after it changed those that are named. */
export function keysLimits({ gateway, output, actor }: Surroundings): Command {
  return new Command('limits')
    .description('change limits of a key; those that are not named stay')
    .argument('<key id>', 'the id that keys list shows')
    .option('--rpm <number>', 'requests a minute, unlimited, or plan for what the plan says', readLimitOrPlan)
    .option('--tpm <tokens>', 'tokens a minute, unlimited, or plan', readLimitOrPlan)
    .option('--quota <tokens>', 'tokens a month, unlimited, or plan', readLimitOrPlan)
    .option(
      '--model-limit <limit>',
      "what it may ask of models a minute, e.g. 'openai/*:rpm=60,tpm=100000', in place of all that it has; repeat it, or none",
      gatherModelLimitsOrNone,
    )
    .option('--json', 'print JSON')
    .action(async (keyId: string, { rpm, tpm, quota, modelLimit, json }: Options) => {
      if ([rpm, tpm, quota, modelLimit].every((limit) => limit === undefined))
        throw new Refusal('Name a limit: --rpm, --tpm, --quota or --model-limit.');
      const reply = await gateway.call(accountsOperations.updateKey, {
        keyId,
        rpm: toChange(rpm),
        tpm: toChange(tpm),
        quotaTokens: toChange(quota),
        modelLimits: modelLimit === 'none' ? [] : modelLimit,
        actor,
      });
      output.show(reply, json, () => keyFacts(reply.key, Date.now()));
    });
}

const readLimitOrPlan = (text: string): Typed => (text === 'plan' ? text : readLimit(text));

const toChange = (typed: Typed | undefined): number | 'plan' | null | undefined =>
  typed === 'plan' ? typed : toLimit(typed);
