import { accountsOperations } from '@tollgate/contracts/accounts';
import { budgetLeaseOperations, budgetOperations, budgetWindow } from '@tollgate/contracts/metering';
import type { Budget, BudgetEach, BudgetState, BudgetWindow } from '@tollgate/contracts/metering';
import { Command, InvalidArgumentError, Option } from 'commander';
import { gatherPatterns } from '../arguments/arguments';
import { exitCodes, Refusal } from '../failure';
import type { Gateway, MakeCommand, Surroundings } from '../gateway';
import { budgetTable, namesText } from '../text/budget';
import { pages } from '../pages';

export const commands: readonly MakeCommand[] = [budgetsCreate, budgetsChange, budgetsRemove, budgetsList, budgetsShow];

interface NewBudget {
  account?: string;
  key?: string;
  project?: string;
  name: string;
  limit?: string;
  tokens?: number;
  window: BudgetWindow;
  timeZone: string;
  models: string[];
  endUser?: string;
  tag?: string;
  soft: boolean;
  fallback?: string;
  json?: boolean;
}

/** What may be changed of one. */
interface BudgetChange {
  limit?: string;
  tokens?: number;
  name?: string;
  soft?: boolean;
  fallback?: string;
  json?: boolean;
}

/** `budgets create`: how much an account, one of its keys, or those of a project may spend. */
function budgetsCreate({ gateway, output, actor }: Surroundings): Command {
  return new Command('create')
    .description('set how much an account, one of its keys, or those of a project may spend')
    .option('--account <id or email>', 'whose it is; of a key, that of the key')
    .option('--key <id>', 'only of this key')
    .addOption(
      new Option('--project <name>', 'of all keys of this project together, of those too that come to it').conflicts(
        'key',
      ),
    )
    .requiredOption('--name <name>', 'what a refusal calls it')
    .addOption(limitOption())
    .addOption(tokensOption())
    .option(
      '--window <window>',
      'total, hour, day, week or month, or what was spent in the last 24h or 7d, say',
      readWindow,
      'month',
    )
    .option(
      '--time-zone <name>',
      'whose days, weeks and months, such as Europe/Berlin; not of the last hours or days',
      'UTC',
    )
    .option(
      '--models <patterns...>',
      'count these models alone, such as anthropic/claude-opus-*; several with spaces or commas',
      gatherPatterns,
      [],
    )
    .option('--end-user <pattern>', "each end user of such a name has it alone, such as '*' for all of them")
    .addOption(
      new Option('--tag <pattern>', "each tag of such a name has it alone, such as 'team=*'").conflicts('endUser'),
    )
    .option('--soft', 'refuse nothing: what exceeds it is served, and told', false)
    .option('--fallback <model>', 'with --soft: which model serves what exceeds it')
    .option('--json', 'print JSON')
    .action(async ({ account, key, limit, tokens, fallback, endUser, tag, json, ...asked }: NewBudget) => {
      if (limit === undefined && tokens === undefined) throw new Refusal('Say --limit, in US dollars, or --tokens.');
      const each = eachOf(endUser, tag);
      const accountId = account ?? (await accountOf(gateway, key));
      const amounts = { accountId, ...toldLimit({ limit, tokens }), fallbackModel: fallback ?? null, each };
      const wish = { ...asked, ...amounts, ...(key !== undefined && { keyId: key }) };
      const reply = await gateway.call(budgetOperations.create, { ...wish, actor });
      const { id, project } = reply.budget;
      if (asked.project !== undefined && project === null) throw new Refusal(isOfAccount(id));
      output.show(reply, json, () => `The budget ${id} holds.`);
    });
}

/** Whose key it is. @throws Refusal where neither is said. */
async function accountOf(gateway: Gateway, keyId: string | undefined): Promise<string> {
  if (keyId === undefined) throw new Refusal('Say --account, or --key.', exitCodes.usage);
  return (await gateway.call(accountsOperations.getKey, { keyId })).key.accountId;
}

/** What an accounts does that knows of no projects: it leaves out what it does not know. */
const isOfAccount = (id: string): string =>
  `The budget ${id} is of the whole account, since accounts is of a release that knows of no projects: tollgate budgets remove ${id}, and upgrade accounts first.`;

const limitOption = () => new Option('--limit <dollars>', 'US dollars, such as 25 or 0.5').conflicts('tokens');
const tokensOption = () =>
  new Option('--tokens <number>', 'tokens of input and output, in place of dollars').argParser(readTokens);

function readTokens(text: string): number {
  const tokens = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(tokens)) return tokens;
  throw new InvalidArgumentError('must be a whole number of tokens, such as 1000000');
}

function toldLimit({ limit, tokens }: Pick<BudgetChange, 'limit' | 'tokens'>): {
  limitUsd?: string;
  limitTokens?: number;
} {
  return { ...(limit !== undefined && { limitUsd: limit }), ...(tokens !== undefined && { limitTokens: tokens }) };
}

/** What an accounts does that knows of no tokens: it leaves out what it does not know. */
const isNotInTokens =
  'The limit is what it was, since accounts is of a release that knows of no budgets in tokens: upgrade accounts first.';

function readWindow(text: string): BudgetWindow {
  const { data, error } = budgetWindow.safeParse(text);
  if (data !== undefined) return data;
  throw new InvalidArgumentError(error.issues[0]?.message ?? '');
}

function eachOf(endUser: string | undefined, tag: string | undefined): BudgetEach | null {
  if (endUser !== undefined) return { by: 'end_user', names: endUser };
  return tag === undefined ? null : { by: 'tag', names: tag };
}

/** `budgets change`: another limit or name; what was spent stays. */
function budgetsChange({ gateway, output, actor }: Surroundings): Command {
  return new Command('change')
    .description('change limit or name of a budget, or what happens at it; what was spent stays')
    .argument('<budget id>', 'the id that budgets list shows')
    .addOption(limitOption())
    .addOption(tokensOption())
    .option('--name <name>', 'what a refusal calls it')
    .option('--soft', 'refuse nothing: what exceeds it is served, and told')
    .option('--no-soft', 'refuse what exceeds it')
    .option('--fallback <model>', 'of a soft one: which model serves what exceeds it; none: the one asked for')
    .option('--json', 'print JSON')
    .action(async (budgetId: string, { limit, tokens, name, soft, fallback, json }: BudgetChange) => {
      const wish = {
        budgetId,
        actor,
        ...toldLimit({ limit, tokens }),
        ...(name !== undefined && { name }),
        ...(soft !== undefined && { soft }),
        ...(fallback !== undefined && { fallbackModel: fallback === 'none' ? null : fallback }),
        ...(soft === false && { fallbackModel: null }),
      };
      const reply = await gateway.call(budgetOperations.update, wish);
      const { unit, limitNanoUsd } = reply.budget;
      if (tokens !== undefined && (unit !== 'tokens' || limitNanoUsd !== String(tokens)))
        throw new Refusal(isNotInTokens);
      output.show(reply, json, () => `The budget ${reply.budget.name} is changed.`);
    });
}

/** `budgets show`: one, and of one that each name has alone those who are nearest to the limit. */
function budgetsShow({ gateway, output }: Surroundings): Command {
  return new Command('show')
    .description('show a budget, and of one that each name has alone those nearest to the limit')
    .argument('<budget id>', 'the id that budgets list shows')
    .option('--name <names...>', 'of these end users, or tags, instead')
    .addOption(new Option('--limit <number>', 'so many of them').argParser(Number).default(20))
    .option('--json', 'print JSON')
    .action(async (budgetId: string, { name, limit, json }: { name?: string[]; limit: number; json?: boolean }) => {
      const found = await gateway.call(budgetOperations.find, { budgetId });
      const { states } = await gateway.call(budgetLeaseOperations.states, { budgetIds: [budgetId] });
      const one = { ...found.budget, state: states[budgetId] ?? null };
      const names = one.each
        ? (await gateway.call(budgetLeaseOperations.names, { budgetId, names: name, limit })).names
        : [];
      output.show({ budget: one, names }, json, () => [budgetTable([one]), ...namesText(one, names)].join('\n\n'));
    });
}

/** `budgets remove`: it holds no more. */
function budgetsRemove({ gateway, output, actor }: Surroundings): Command {
  return new Command('remove')
    .description('remove a budget: it holds no more')
    .argument('<budget id>', 'the id that budgets list shows')
    .option('--json', 'print JSON')
    .action(async (budgetId: string, { json }: { json?: boolean }) => {
      const reply = await gateway.call(budgetOperations.remove, { budgetId, actor });
      output.show(reply, json, () => 'The budget is removed.');
    });
}

/** Their ids stand in an address, over HTTP. */
const budgetsAPage = 100;

/** `budgets list`: all budgets, or those of an account, the newest first, and how they stand. */
function budgetsList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description('show budgets and what is left of them, the newest first')
    .option('--account <id>', 'only of this account')
    .option('--json', 'print JSON')
    .action(async ({ account, json }: { account?: string; json?: boolean }) => {
      const budgets: (Budget & { state: BudgetState | null })[] = [];
      const read = (after: string | undefined) =>
        gateway.call(budgetOperations.list, { accountId: account, limit: budgetsAPage, after });
      for await (const page of pages(read)) {
        const budgetIds = page.budgets.map(({ id }) => id);
        const { states } = await gateway.call(budgetLeaseOperations.states, { budgetIds });
        budgets.push(...page.budgets.map((budget) => ({ ...budget, state: states[budget.id] ?? null })));
      }
      output.show({ budgets }, json, () => (budgets.length === 0 ? 'There are no budgets.' : budgetTable(budgets)));
    });
}
