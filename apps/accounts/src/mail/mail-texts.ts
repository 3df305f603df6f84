import type { CatalogModel } from '@tollgate/contracts/catalog';
import { budgetAmount, ofRefusal } from '@tollgate/contracts/metering';
import type { Budget, ReachedBudget, budgetLeaseOperations } from '@tollgate/contracts/metering';
import type { z } from 'zod';
import { mightHaveCost } from '../budgets/refusal-words';
import { isOfSomeHours, isRolling } from '../budgets/stored-budget';

type BudgetNames = z.output<typeof budgetLeaseOperations.names.reply>['names'];

/** What a mail says. `body` is plain text. */
export interface MailText {
  subject: string;
  body: string;
}

const greeting = (name: string) => (saysWho(name) ? `Hello ${name},\n\n` : 'Hello,\n\n');

const longestName = 60;
/** What mail programs make links of, or what begins a line. */
const saysMore = /[\p{Cc}\p{Zl}\p{Zp}/\\:@]|\.\p{L}{2}/u;

/**
 * Whether a name is one, and no words that somebody has sent to others: who signs up types in a name beside
 * an address, and nobody knows yet whose that is.
 */
function saysWho(name: string): boolean {
  return name.length <= longestName && !saysMore.test(name);
}

export function verificationMail(name: string, link: string): MailText {
  return {
    subject: 'Confirm your e-mail address',
    body: `${greeting(name)}this link confirms that this address is yours; it works once, for two days:\n\n${link}\n\nIf you did not sign up, do nothing.\n`,
  };
}

export function resetMail(name: string, link: string): MailText {
  return {
    subject: 'Set a new password',
    body: `${greeting(name)}this link lets you set a new password; it works once, for an hour:\n\n${link}\n\nIf you did not ask for it, do nothing: your password stays as it is.\n`,
  };
}

/** `account`: its name, which is what somebody typed in who signed up, too. `by`: who invites. */
export function invitationMail(account: string, by: string, link: string): MailText {
  const told = saysWho(account) ? account : 'an account';
  return {
    subject: `You are invited to ${told}`,
    body: `Hello,\n\n${by} invites you to use the models of ${told} with them. This link lets you choose a password; it works once, for a week:\n\n${link}\n\nIf you do not know what this is about, do nothing.\n`,
  };
}

const secondFactorNews = {
  enabled: 'a second factor was set up for your account: from now on a code is asked for beside your password.',
  removed: 'the second factor of your account was removed: the password alone signs you in.',
  'authenticator-removed': 'the authenticator of your account was removed: its codes sign nobody in any more.',
  'recovery-code-used': 'a recovery code was used in the place of a code of your authenticator, or of a passkey.',
  'passkey-added':
    'a passkey was added to your account: it signs you in by itself, and is asked for beside your password.',
  'passkey-removed': 'a passkey of your account was removed: it signs nobody in any more.',
  'passkey-refused':
    'a passkey of your account was refused: it counted fewer signatures than it told before, as a copy of it would. Remove it if it happens again.',
};

/**
 * What happened to somebody's second factor, in case that it was not they who did it. `which`: what the
 * passkey is called that it is about.
 */
export function secondFactorMail(name: string, news: keyof typeof secondFactorNews, which?: string): MailText {
  const what = secondFactorNews[news].replace(/^a passkey( of your account)?/, (passkey) =>
    which !== undefined && saysWho(which) ? `${passkey} (${which})` : passkey,
  );
  return {
    subject: 'Your second factor',
    body: `${greeting(name)}${what}\n\nIf this was not you, set a new password and tell an administrator of this gateway.\n`,
  };
}

/**
 * To who proved an address that somebody used without proof, by setting a password. `keys`: how many were
 * made meanwhile and work; `where`: the page with them.
 */
export function firstProofMail(
  name: string,
  { hadFactor, keys, where }: { hadFactor: boolean; keys: number; where: string },
): MailText {
  const factors =
    '\n\nThe authenticator, passkeys and recovery codes that were set up before that are gone. If they were yours, set them up again.';
  const [those, go] = keys === 1 ? ['An API key that was', 'goes on'] : [`${keys} API keys that were`, 'go on'];
  const made = `\n\n${those} made before that ${go}. Revoke what you did not make:\n\n${where}`;
  return {
    subject: 'Your e-mail address is confirmed',
    body: `${greeting(name)}you set a new password, by which your address is confirmed for the first time. Anybody can type in an address: what was done before that may not have been done by you.${hadFactor ? factors : ''}${keys > 0 ? made : ''}\n`,
  };
}

/** How the subjects of `accessMail` end. */
export const asksForAccess = ' asks for access';

/** To an administrator. `asking`: who asks, and what for. */
export function accessMail(
  name: string,
  asking: { name: string; email: string; purpose: string },
  link: string,
): MailText {
  const why = asking.purpose ? `\n\n${asking.purpose}` : '';
  return {
    subject: `${asking.name}${asksForAccess}`,
    body: `${greeting(name)}${asking.name} (${asking.email}) asks to be let in.${why}\n\nWho waits is on this page; of others who ask within the hour there is no further mail:\n\n${link}\n`,
  };
}

export function approvalMail(name: string, link: string): MailText {
  return {
    subject: 'Your access is approved',
    body: `${greeting(name)}your request for access is approved. Your keys work from now on:\n\n${link}\n`,
  };
}

export function declineMail(name: string): MailText {
  return {
    subject: 'Your request for access was declined',
    body: `${greeting(name)}your request for access was declined. If you think that this is a mistake, please contact the operator of this gateway.\n`,
  };
}

/** A key as its owner knows it: by its name, and by what of it is shown. */
interface NamedKey {
  name: string;
  display: string;
}

/**
 * `date`: the first day on which the model is not served. `models`: where the models of the gateway are
 * listed.
 */
export function retirementMail(
  name: string,
  { id, retirement }: Pick<CatalogModel, 'id' | 'retirement'>,
  date: string,
  keys: readonly NamedKey[],
  models: string,
): MailText {
  const { successor = null, redirects = false } = retirement ?? {};
  const named = keys.map((key) => `- ${key.name} (${key.display})\n`).join('');
  return {
    subject: `${id} ends on ${date}`,
    body: `${greeting(name)}the provider of ${id} ends this model on ${date} (0:00 UTC). In the last month these keys of yours used it:\n\n${named}\n${afterwards(successor, redirects)}\n\nAll models, with the days on which they end: ${models}\n\nThis mail is sent once for each model.\n`,
  };
}

function afterwards(successor: string | null, redirects: boolean): string {
  if (successor === null) return 'From that day on requests for it are answered with 404. Please choose another model.';
  return redirects
    ? `From that day on its provider answers with ${successor}, at the price of that. Nothing stops working; please see that its answers and its price suit you.`
    : `From that day on requests for it are answered with 404. Its successor is ${successor}: please name that one instead.`;
}

/** Whose a budget is. */
export interface OfAccount {
  account: { name: string; email: string };
}

/** Several accounts have a budget of one name, and administrators hear of all. */
export function budgetOf({ name, account }: Pick<Budget, 'name'> & OfAccount): string {
  const isNamed = account.name !== account.email && saysWho(account.name);
  return `${name} of ${isNamed ? `${account.name} (${account.email})` : account.email}`;
}

/**
 * A budget as a mail tells of it. `percents`: the thresholds that it came to at once, ascending, or
 * `ofRefusal` alone.
 */
type MailedBudget = Pick<Budget, 'name' | 'unit' | 'soft' | 'fallbackModel' | 'window'> &
  Pick<ReachedBudget, 'limitNanoUsd' | 'spentNanoUsd' | 'resetsAt' | 'refusal'> &
  OfAccount & { percents: readonly number[] };

/** `link`: where the reader sees the budget. */
export function budgetMail(name: string, budget: MailedBudget, link: string): MailText {
  const { percents, resetsAt, window } = budget;
  const percent = percents.at(-1) ?? 100;
  const often = isRolling(window) || window === 'hour' ? ` in each ${inHours(window)}` : '';
  const [limit, spent] = [budget.limitNanoUsd, budget.spentNanoUsd].map((amount) => budgetAmount(budget.unit, amount));
  const passed = percents
    .map((one) => `${one} %`)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' and ');
  const atOnce = percents.length > 1 ? `: it came to ${passed} at once` : '';
  return {
    subject: budgetSubject(budget.name, percent),
    body: `${greeting(name)}of the budget ${budgetOf(budget)} ${spent} of ${limit} are spent${atOnce}. ${effectOf(budget, percent)} ${endOf(resetsAt, window)}\n\n${link}\n\nThis mail is sent ${isRolling(window) ? 'at most once' : 'once'}${often}${whenTold(percent, window)}.\n`,
  };
}

function budgetSubject(budget: string, percent: number): string {
  if (percent === ofRefusal) return `The budget ${budget} refused a request: too little was left`;
  return percent === 100 ? `The budget ${budget} is used up` : `${percent} % of the budget ${budget} are spent`;
}

/** What becomes of requests. A metering of the release before does not say what one might have cost. */
function effectOf({ soft, fallbackModel, refusal, unit }: MailedBudget, percent: number): string {
  if (percent === ofRefusal) {
    const why = refusal === null ? 'less was left than it might have cost' : `it ${mightHaveCost(unit, refusal)}`;
    return `A request was refused: ${why}. Smaller ones go on.`;
  }
  if (percent < 100) return 'Requests go on.';
  if (!soft) return 'Nothing is left: requests are refused.';
  return fallbackModel === null ? 'Requests go on.' : `Requests are served by ${fallbackModel}.`;
}

function whenTold(percent: number, window: string): string {
  if (percent === ofRefusal) return ', when it first refuses a request';
  return isOfSomeHours(window) ? ', when it is used up' : ' for 50, 80 and 100 %';
}

/**
 * `names`: those nearest to the limit of a budget that each has alone, of which some came to a threshold.
 * `link`: where the reader sees the budget, and the others.
 */
export function budgetNamesMail(
  name: string,
  budget: Pick<Budget, 'name' | 'each' | 'unit' | 'limitNanoUsd' | 'window'> & OfAccount,
  names: BudgetNames,
  link: string,
): MailText {
  const { each, unit, limitNanoUsd, window } = budget;
  const who = each?.by === 'tag' ? 'tags' : 'end users';
  const limit = BigInt(limitNanoUsd);
  const lines = names.map(({ name: one, nameDigest, state }) => {
    const spent = BigInt(state.spentNanoUsd);
    const percent = limit > 0n ? `${(spent * 100n) / limit} %, ` : '';
    return `  ${percent}${budgetAmount(unit, spent)}: ${JSON.stringify(one ?? nameDigest)}`;
  });
  const resetsAt = names[0]?.state.resetsAt ?? null;
  const until = resetsAt === null ? endOf(null, window) : `This is of its window until ${instant(resetsAt)}.`;
  return {
    subject: `The budget ${budget.name}: ${who} near their limit`,
    body: `${greeting(name)}of the budget ${budgetOf(budget)} each has ${budgetAmount(unit, limit)} alone, and some came to 50, 80 or 100 % of it. Of these ${who} most is spent:\n\n${lines.join('\n')}\n\n${until} Others: ${link}\n\nThis mail is sent at most once an hour, for each window, when somebody more has come so far.\n`,
  };
}

/** When there is room again in a budget; see `budgetState`. */
function endOf(resetsAt: number | null, window: string): string {
  if (resetsAt === null) return 'It does not begin anew.';
  if (!isRolling(window)) return `It begins anew at ${instant(resetsAt)}.`;
  return `It is of the last ${inHours(window)}: at ${instant(resetsAt)} the first of what is spent counts no more.`;
}

const inHours = (window: string) =>
  window === 'hour'
    ? 'hour'
    : window
        .replace(/h$/, ' hours')
        .replace(/d$/, ' days')
        .replace(/^1 (\w+)s$/, '$1');

/** `keys`: where people see their keys. */
export function expiringKeyMail(name: string, key: NamedKey, expiresAt: Date, keys: string): MailText {
  const ends = instant(expiresAt.getTime());
  return {
    subject: `The key ${key.name} ends on ${ends.slice(0, 10)}`,
    body: `${greeting(name)}your API key ${key.name} (${key.display}) ends at ${ends}. From then on requests with it are refused with 401. Make another one, or let it last longer, before that:\n\n${keys}\n\nThis mail is sent once for each day on which a key is to end.\n`,
  };
}

/** An alert to operators, whose first paragraph is its subject. `webhook`: what the receiver is called. */
export function alertMail(text: string, webhook: string): MailText {
  const [first = ''] = text.split('\n\n', 1);
  const subject = first.replace(/\s+/g, ' ');
  const isLong = subject.length > longestSubject;
  return {
    subject: isLong ? `${subject.slice(0, longestSubject)}…` : subject,
    body: `${text}\n\nThis mail is sent since "tollgate webhooks list" names this address, as ${webhook}.\n`,
  };
}

const longestSubject = 120;

function instant(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
