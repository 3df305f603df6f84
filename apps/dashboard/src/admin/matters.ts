import type { ListedDeployment, ProviderHealth } from '../api/admin';
import type { NearBudget } from '../api/budgets';
import { budgetPath } from '../app/paths';
import { formatAmount, leftWords, standingOf } from '../budgets/standing';
import type { BadgeTone } from '../design/badge';
import { formatPicoMoney } from '../format/money';
import { formatCount } from '../format/number';
import { formatRelative } from '../format/time';
import type { SummedBill } from './drift-of';
import { healthOf } from './health-of';

/** Something that waits for an administrator: what, why, and the page where it is dealt with. */
export interface Matter {
  tone: BadgeTone;
  title: string;
  detail: string;
  path: string;
  action: string;
}

/** A key that ends within this time is worth a word to its owner, milliseconds. */
export const soonMs = 14 * 86_400_000;
/** As many names as a line holds; the page behind it has all. */
const mostNames = 3;
/** More events than this wait only when metering is away or behind. */
const mostPending = 10_000;

/** "Ada, Bob, Cleo and 4 more"; `isMore`: beyond those there are some that were not counted. */
function named(names: readonly string[], isMore = false): string {
  const shown = names.slice(0, mostNames).join(', ');
  const left = names.length - mostNames;
  if (isMore) return `${shown} and more`;
  return left > 0 ? `${shown} and ${formatCount(left)} more` : shown;
}

const counted = (count: number, one: string, many: string, isMore = false) =>
  `${formatCount(count)}${isMore ? ' or more' : ''} ${count === 1 && !isMore ? one : many}`;

/** Who asked for access and has no answer; `isMore`: others, too. */
export function accessMatters({ names, isMore }: { names: readonly string[]; isMore: boolean }): Matter[] {
  if (names.length === 0) return [];
  return [
    {
      tone: 'accent',
      title: counted(names.length, 'account asks for access', 'accounts ask for access', isMore),
      detail: named(names, isMore),
      path: '/admin/accounts?status=pending',
      action: 'Decide',
    },
  ];
}

/** Providers that failed in the last hour, each with the reasons that its deployments give. */
export function providerMatters(
  providers: readonly ProviderHealth[],
  deployments: readonly ListedDeployment[],
): Matter[] {
  return providers.flatMap((provider) => {
    const { tone, text } = healthOf(provider);
    if (tone !== 'bad' && tone !== 'warn') return [];
    const reasons = deployments
      .filter((deployment) => deployment.provider === provider.id)
      .flatMap(({ standing }) => (standing && standing.state !== 'closed' && standing.why ? [standing.why] : []));
    const share = `${formatCount(provider.failed)} of ${formatCount(provider.requests)} requests failed in the last hour.`;
    return [
      {
        tone,
        title: `${provider.name}: ${text.toLowerCase()}`,
        detail: [share, ...[...new Set(reasons)].slice(0, mostNames)].join(' '),
        path: reasons.length > 0 ? '/admin/deployments' : `/admin/providers/${encodeURIComponent(provider.id)}`,
        action: 'Look',
      },
    ];
  });
}

/** What an operator took out of use, so that it is not forgotten. */
export function heldMatters(deployments: readonly ListedDeployment[]): Matter[] {
  const held = deployments.filter((deployment) => deployment.held !== null);
  if (held.length === 0) return [];
  return [
    {
      tone: 'warn',
      title: counted(held.length, 'deployment is out of use', 'deployments are out of use'),
      detail: `An operator decided so: ${named(held.map(({ id }) => id))}.`,
      path: '/admin/deployments',
      action: 'Look',
    },
  ];
}

/** Keys that stop soon; whoever uses them may not know. `now` is epoch milliseconds. */
export function keyMatters(
  ending: readonly { name: string; expiresAt: number | null }[],
  isMore: boolean,
  now: number,
): Matter[] {
  const soonest = ending
    .flatMap(({ name, expiresAt }) => (expiresAt === null || expiresAt > now + soonMs ? [] : [{ name, expiresAt }]))
    .toSorted((one, other) => one.expiresAt - other.expiresAt);
  const [first] = soonest;
  if (!first) return [];
  const names = named(
    soonest.map(({ name }) => name),
    isMore,
  );
  return [
    {
      tone: 'warn',
      title: counted(soonest.length, 'key ends soon', 'keys end soon', isMore),
      detail: `${names}${soonest.length === 1 ? ',' : '; the first'} ${formatRelative(first.expiresAt, now)}.`,
      path: '/admin/keys',
      action: 'Look',
    },
  ];
}

/** What is known of keys that sleep: all of them; not of all; of none, as metering does not answer. */
export type Asleep = 'all' | 'some' | 'unknown';

/** What is said where no matter is there. */
export function nothingWaits(asleep: Asleep): string {
  const sleeps = asleep === 'all' ? ' or sleeps' : '';
  const unknown = asleep === 'unknown' ? ' Whether a key sleeps is not known while metering is away.' : '';
  return `Nobody asks for access, no provider fails, no key ends within two weeks${sleeps}, no budget is nearly spent, and every bill agrees.${unknown}`;
}

/** Keys that work, and that nobody used for eight weeks: what is forgotten is found by others. */
export function sleepingMatters(asleep: readonly { name: string; accountName: string }[], isMore: boolean): Matter[] {
  if (asleep.length === 0) return [];
  const names = named(
    asleep.map(({ name, accountName }) => `${name} of ${accountName}`),
    isMore,
  );
  return [
    {
      tone: 'plain',
      title: counted(asleep.length, 'key sleeps', 'keys sleep', isMore),
      detail: `Not used for eight weeks: ${names}. Whoever finds such a key can use it.`,
      path: '/admin/keys?show=asleep',
      action: 'Look',
    },
  ];
}

/**
 * Budgets of which four fifths are spent, or that refused a request, as no soft one does; `isMore`: there are
 * others, and nobody read of which kind they are.
 */
export function budgetMatters(near: readonly NearBudget[], isMore: boolean): Matter[] {
  const over = near.filter(isUsedUp);
  const refusing = near.filter((budget) => !isUsedUp(budget) && budget.hasRefused);
  const ending = near.filter((budget) => !isUsedUp(budget) && !budget.hasRefused);
  if (isMore && near.length > 0) {
    const title = counted(near.length, '', 'budgets are used up or nearly spent', isMore);
    return [budgetMatter([...over, ...refusing, ...ending], toneOf([...over, ...refusing]), title, isMore)];
  }
  const groups: [NearBudget[], BadgeTone, string, string][] = [
    [over, toneOf(over), 'budget is used up', 'budgets are used up'],
    [refusing, 'bad', 'budget refused a request', 'budgets refused a request'],
    [ending, 'warn', 'budget is nearly spent', 'budgets are nearly spent'],
  ];
  return groups
    .filter(([budgets]) => budgets.length > 0)
    .map(([budgets, tone, one, several]) => budgetMatter(budgets, tone, counted(budgets.length, one, several)));
}

/** Of budgets that are used up, or refused a request: a soft one stops nothing. */
const toneOf = (budgets: readonly NearBudget[]): BadgeTone => (budgets.some(({ soft }) => !soft) ? 'bad' : 'warn');

const budgetMatter = (budgets: readonly NearBudget[], tone: BadgeTone, title: string, isMore = false): Matter => ({
  ...{ tone, title },
  detail: `${named(budgets.map(budgetName), isMore)}.`,
  path: onlyOne(budgets, isMore) ?? '/admin/budgets?show=near',
  action: 'Look',
});

/** What is only reserved comes back, but for what the requests that run cost. */
const isUsedUp = ({ state }: NearBudget): boolean =>
  state !== null && BigInt(state.spentNanoUsd) >= BigInt(state.limitNanoUsd);

function budgetName(budget: NearBudget): string {
  const { name, accountName, unit, state } = budget;
  const whose = accountName === null ? name : `${name} of ${accountName}`;
  if (!state) return whose;
  const standing = standingOf(state);
  if (standing.left <= 0n && !isUsedUp(budget)) {
    const [spent, most] = [state.spentNanoUsd, state.limitNanoUsd].map((amount) => formatAmount(unit, amount));
    return `${whose} (${spent} of ${most} spent, the rest reserved)`;
  }
  return `${whose} (${leftWords(unit, standing).toLowerCase()})`;
}

const onlyOne = ([first, ...others]: readonly NearBudget[], isMore: boolean): string | null =>
  first && others.length === 0 && !isMore ? budgetPath('fleet', first.id) : null;

/** Bills that differ from what our prices make of the same requests, or that could not be read. */
export function billMatters(bills: readonly SummedBill[]): Matter[] {
  const providers = [...new Set(bills.map(({ provider }) => provider))];
  return providers.flatMap((provider) => {
    const own = bills.filter((bill) => bill.provider === provider);
    const unread = own.filter(({ problem }) => problem !== null);
    const drift = own.reduce((sum, bill) => sum + BigInt(bill.drift ?? '0'), 0n);
    const link = { tone: 'warn' as const, path: '/admin/bills', action: 'Compare' };
    return [
      ...(drift === 0n
        ? []
        : [
            {
              ...link,
              title: `The bill of ${provider} differs by ${formatPicoMoney(drift.toString())}`,
              detail: `In ${counted(own.filter((bill) => BigInt(bill.drift ?? '0') !== 0n).length, 'day', 'days')} of the last week.`,
            },
          ]),
      ...(unread[0]
        ? [{ ...link, title: `A bill of ${provider} could not be read`, detail: unread[0].problem ?? '' }]
        : []),
    ];
  });
}

/**
 * What the services say of themselves. `releases`: those that run, which are several while an upgrade does.
 */
export function machineMatters(
  status: { pendingEvents: number; deadLetters: number; inferenceInstances: number },
  releases: readonly string[],
): Matter[] {
  const { deadLetters, inferenceInstances, pendingEvents } = status;
  return [
    inferenceInstances === 0 && {
      tone: 'bad' as const,
      title: 'No inference instance runs',
      detail: 'Every generation is answered with 503 until one does.',
      path: '/admin/fleet',
      action: 'Look',
    },
    deadLetters > 0 && {
      tone: 'bad' as const,
      title: counted(deadLetters, 'usage message could not be stored', 'usage messages could not be stored'),
      detail: 'Nothing is lost: they wait to be replayed, and nobody pays for them until then.',
      path: '/admin/dead-letters',
      action: 'Replay',
    },
    pendingEvents > mostPending && {
      tone: 'warn' as const,
      title: `${formatCount(pendingEvents)} usage events wait`,
      detail: 'Metering or its database is behind. Reports are late until they are stored; nothing is lost.',
      path: '/admin/fleet',
      action: 'Look',
    },
    releases.length > 1 && {
      tone: 'warn' as const,
      title: `Several releases run: ${releases.join(', ')}`,
      detail: 'As it should be while an upgrade is under way; otherwise a service was left behind.',
      path: '/admin/fleet',
      action: 'Look',
    },
  ].filter((matter) => matter !== false);
}
