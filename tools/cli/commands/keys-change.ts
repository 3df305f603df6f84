import { accountsOperations } from '@tollgate/contracts/accounts';
import { Argument, Command } from 'commander';
import { readLimit, toLimit, type TypedLimit, gatherPatterns, none } from '../arguments/arguments';
import { gatherModelLimitsOrNone, type ModelLimit } from '../arguments/model-limit';
import { Refusal } from '../failure';
import type { Surroundings } from '../gateway';
import { keyFacts } from '../text/key';

/** `keys change`: what people know a key by, in lists and reports, from now on and of what it used before. */
export function keysChange({ gateway, output, actor }: Surroundings): Command {
  return new Command('change')
    .alias('update')
    .description('change the name of a key; what it used before is told under the new one, too')
    .argument('<key id>', 'the id that keys list shows')
    .requiredOption('--name <name>', 'what people know it by')
    .option('--json', 'print JSON')
    .action(async (keyId: string, { name, json }: { name: string; json?: boolean }) => {
      const reply = await gateway.call(accountsOperations.updateKey, { keyId, name, actor });
      output.show(reply, json, () => `${reply.key.display} is called ${reply.key.name}.`);
    });
}

const noTags = 'none';

/** `keys tags`: what the requests of a key are called by in reports, from now on. */
export function keysTags({ gateway, output, actor }: Surroundings): Command {
  return new Command('tags')
    .description('tag each request of a key, for reports of who spent it')
    .argument('<key id>', 'the id that keys list shows')
    .argument('<tags>', `such as team=search,prod, in place of those that it has; or ${noTags}`)
    .option('--json', 'print JSON')
    .action(async (keyId: string, wanted: string, { json }: { json?: boolean }) => {
      const asked = wanted === noTags ? [] : gatherPatterns(wanted);
      const reply = await gateway.call(accountsOperations.updateKey, { keyId, tags: asked, actor });
      const { display, name, tags } = reply.key;
      output.show(reply, json, () =>
        tags.length === 0
          ? `Requests of ${display} (${name}) have no tags but their own.`
          : `Each request of ${display} (${name}) has the tags ${tags.join(', ')}.`,
      );
    });
}

/** `keys project`: of which project a key is, whose budgets hold for it from then on. */
export function keysProject({ gateway, output, actor }: Surroundings): Command {
  return new Command('project')
    .description('make a key one of a project, whose budgets hold for it then, or take it out of one')
    .argument('<key id>', 'the id that keys list shows')
    .argument('<project>', `such as web, in place of the one that it is of; or ${none}`)
    .option('--json', 'print JSON')
    .action(async (keyId: string, wanted: string, { json }: { json?: boolean }) => {
      const asked = wanted.trim() === none ? null : wanted;
      const reply = await gateway.call(accountsOperations.updateKey, { keyId, project: asked, actor });
      const { display, name, project } = reply.key;
      output.show(
        reply,
        json,
        () => `${display} (${name}) is of ${project === null ? 'no project' : `the project ${project}`}.`,
      );
    });
}

type Typed = TypedLimit | 'plan';

interface LimitOptions {
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
    .action(async (keyId: string, { rpm, tpm, quota, modelLimit, json }: LimitOptions) => {
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

/** `keys log-content`: switches on or off that the requests and answers of a key are logged. */
export function keysLogContent({ gateway, output, actor }: Surroundings): Command {
  return new Command('log-content')
    .description('log the requests and answers of a key, or no more (where contentLog of tollgate.yaml allows it)')
    .argument('<key id>', 'the id that keys list shows')
    .addArgument(new Argument('<on or off>').choices(['on', 'off']))
    .option('--json', 'print JSON')
    .action(async (keyId: string, wanted: 'on' | 'off', { json }: { json?: boolean }) => {
      const reply = await gateway.call(accountsOperations.updateKey, { keyId, logContent: wanted === 'on', actor });
      const { display, name, logContent } = reply.key;
      output.show(reply, json, () => `${logContent ? 'Logging' : 'Not logging'} requests of ${display} (${name}).`);
    });
}

/** `keys tell-cost`: switches on or off that each request of a key is told its charge. */
export function keysTellCost({ gateway, output, actor }: Surroundings): Command {
  return new Command('tell-cost')
    .description('tell each request of a key its charge unasked, or no more (x-tollgate-cost)')
    .argument('<key id>', 'the id that keys list shows')
    .addArgument(new Argument('<on or off>').choices(['on', 'off']))
    .option('--json', 'print JSON')
    .action(async (keyId: string, wanted: 'on' | 'off', { json }: { json?: boolean }) => {
      const reply = await gateway.call(accountsOperations.updateKey, { keyId, tellCost: wanted === 'on', actor });
      const { display, name, tellCost } = reply.key;
      output.show(reply, json, () =>
        tellCost
          ? `Each request of ${display} (${name}) is told its charge.`
          : `Requests of ${display} (${name}) are told their charge where they ask for it.`,
      );
    });
}
