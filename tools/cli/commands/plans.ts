import { administrationOperations, type Plan } from '@tollgate/contracts/accounts';
import { planOperations } from '@tollgate/contracts/catalog';
import { Command } from 'commander';
import type { z } from 'zod';
import { readLimit, toLimit, type TypedLimit } from '../arguments/arguments';
import { gatherModelLimitsOrNone, type ModelLimit } from '../arguments/model-limit';
import { Refusal } from '../failure';
import { doRecorded, type MakeCommand, type Surroundings } from '../gateway';
import { changesText } from '../text/settings';
import { table } from '../text/table';
import { limit } from '../text/values';
import { planUseText } from './plans-left';

export const commands: readonly MakeCommand[] = [plansList, plansSet, plansRemove];

const origins: Record<Plan['origin'], string> = { release: 'the release', file: 'the file', settings: 'settings' };

/** `plans list`: the plans in force, with their limits. */
function plansList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description('show the plans that keys and accounts may have')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { plans } = await gateway.call(administrationOperations.listPlans, {});
      output.show({ plans }, json, () =>
        table(
          ['plan', 'keys', 'accounts', 'rpm', 'tpm', 'tokens/month', 'at once', 'models, a minute', 'from'],
          plans.map(({ name, keys, accounts, rpm, tpm, quotaTokens, concurrency, modelLimits, origin }) => [
            name,
            ...[keys, accounts].map((count) => (count === null ? '?' : String(count))),
            ...[rpm, tpm, quotaTokens, concurrency].map(limit),
            modelLimits.map(modelLimitText).join('; '),
            origins[origin],
          ]),
        ),
      );
    });
}

interface Limits {
  rpm?: TypedLimit;
  tpm?: TypedLimit;
  quota?: TypedLimit;
  concurrency?: TypedLimit;
  modelLimit?: ModelLimit[] | 'none';
}

type Change = Limits & { new?: true; reason?: string; json?: boolean };

/** `plans set`: a plan that holds without a restart. What is not named stays as the plan has it. */
function plansSet({ gateway, output, actor }: Surroundings): Command {
  return new Command('set')
    .description('add a plan, or change its limits; those that are not named stay')
    .argument('<plan>', 'lower-case letters, digits and dashes')
    .option('--rpm <number>', 'requests a minute, or unlimited', readLimit)
    .option('--tpm <tokens>', 'tokens a minute, or unlimited', readLimit)
    .option('--quota <tokens>', 'tokens a month, or unlimited', readLimit)
    .option('--concurrency <number>', 'generations at once, or unlimited', readLimit)
    .option(
      '--model-limit <limit>',
      "what its keys may ask of models a minute, e.g. 'openai/*:rpm=60,tpm=100000', in place of all that it has; repeat it, or none",
      gatherModelLimitsOrNone,
    )
    .option('--new', 'refuse the name of a plan that there is')
    .option('--reason <text>', 'why, for the history')
    .option('--json', 'print JSON')
    .action(async (name: string, { new: mustBeNew, reason, json, ...typed }: Change) => {
      const { version, before } = await planBefore(gateway, name);
      const asked = { plan: name, version, mustBeNew, reason, ...limitsOf(typed, before) };
      const outcome = await doRecorded({ gateway, actor }, planOperations.set, asked);
      output.show(outcome, json, () => outcomeText(outcome));
    });
}

/** `plans remove`: takes a plan back that was set so; one that is in use only where that is meant. */
function plansRemove({ gateway, output, actor }: Surroundings): Command {
  return new Command('remove')
    .description('remove a plan that was set without tollgate.yaml; its keys have the limits of beta from then on')
    .argument('<plan>', 'as plans list shows it')
    .option('--yes', 'also where keys or accounts have it')
    .option('--reason <text>', 'why, for the history')
    .option('--json', 'print JSON')
    .action(async (plan: string, { yes, reason, json }: { yes?: true; reason?: string; json?: boolean }) => {
      if (!yes) await requireUnused(gateway, plan);
      const asked = { plan, reason };
      const outcome = await doRecorded({ gateway, actor }, planOperations.remove, asked);
      output.show(outcome, json, () => outcomeText(outcome));
    });
}

/** @throws Refusal that says who has the plan. */
async function requireUnused(gateway: Surroundings['gateway'], name: string): Promise<void> {
  const { plans } = await gateway.call(administrationOperations.listPlans, {});
  const { keys = null, accounts = null } = plans.find((plan) => plan.name === name) ?? {};
  if (!keys && !accounts) return;
  const use = planUseText({ keys: keys ?? 0, accounts: accounts ?? 0 });
  throw new Refusal(`${use} have the plan ${name}. Say --yes to remove it all the same.`);
}

/**
 * A plan as the settings have it now, and their version: what is in force may be a little older. One that
 * they do not have is as the release has it; undefined: there is none.
 * @throws Refusal where the file has it.
 */
async function planBefore(gateway: Surroundings['gateway'], name: string) {
  const { version, plans } = await gateway.call(planOperations.list, {});
  const ofSettings = Object.entries(plans).find(([each]) => each === name)?.[1];
  if (ofSettings) return { version, before: ofSettings };
  const inForce = await gateway.call(administrationOperations.listPlans, {});
  const before = inForce.plans.find((each) => each.name === name);
  if (before?.origin === 'file') throw new Refusal(`The plan ${name} stands in tollgate.yaml: change it there.`);
  // One that is of the settings no more may still be in force.
  return { version, before: before?.origin === 'release' ? before : undefined };
}

/** @throws Refusal where nothing is named, or a new plan lacks what every plan says. */
function limitsOf(
  { rpm, tpm, quota, concurrency, modelLimit }: Limits,
  before: Omit<Plan, 'name' | 'origin' | 'keys' | 'accounts'> | undefined,
) {
  if ([rpm, tpm, quota, concurrency, modelLimit].every((typed) => typed === undefined))
    throw new Refusal('Name a limit: --rpm, --tpm, --quota, --concurrency or --model-limit.');
  if (!before && (rpm === undefined || quota === undefined))
    throw new Refusal('A new plan needs --rpm and --quota: a number each, or unlimited.');
  const orBefore = (typed: TypedLimit | undefined, limit: number | null | undefined): number | null =>
    typed === undefined ? (limit ?? null) : (toLimit(typed) ?? null);
  return {
    rpm: orBefore(rpm, before?.rpm),
    tpm: orBefore(tpm, before?.tpm),
    quotaTokens: orBefore(quota, before?.quotaTokens),
    concurrency: orBefore(concurrency, before?.concurrency),
    modelLimits: modelLimit === 'none' ? [] : (modelLimit ?? before?.modelLimits ?? []),
  };
}

const modelLimitText = ({ model, rpm, tpm }: ModelLimit): string =>
  `${model}: ${[...(rpm === null ? [] : [`rpm=${rpm}`]), ...(tpm === null ? [] : [`tpm=${tpm}`])].join(', ')}`;

function outcomeText({ applied, version, changes }: z.output<typeof planOperations.set.reply>): string {
  if (!applied) return 'It is so already. Nothing was changed.';
  return `${changesText(changes)}\n\nVersion ${version} of the settings: keys follow within seconds.`;
}
