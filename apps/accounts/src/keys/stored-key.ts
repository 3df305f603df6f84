import type { PlanLimits } from '@tollgate/configuration';
import {
  callerKey,
  keySettings,
  type CallerKey,
  type ChangedKeySettings,
  type KeySettings,
  type KeySummary,
  type OwnLimit,
} from '@tollgate/contracts/accounts';
import { operatorEmail } from '../accounts/operator-email';
import type { PlanTable } from '../accounts/plan-table';
import { budgetsOf, type StoredBudget } from '../budgets/stored-budget';

/**
 * What is set of a key, as the database holds it: a column for each setting, and two for each limit (null is
 * the plan's, unless it is unlimited).
 */
export type KeyColumns = Omit<KeySettings, 'expiresAt'> & {
  plan: string | null;
  rpm: bigint | null;
  rpmUnlimited: boolean;
  tpm: bigint | null;
  tpmUnlimited: boolean;
  quotaTokens: bigint | null;
  quotaUnlimited: boolean;
  expiresAt: Date | null;
};

/** What edges are told of a key of a provider that an account brought. */
interface BroughtKey {
  provider: string;
  sealed: string;
  fallsBack: boolean;
}

/** A key with its account, as the database holds them. */
export type StoredKey = Omit<KeyColumns, 'modelLimits'> & {
  modelLimits: unknown;
  id: string;
  accountId: string;
  personId: string | null;
  digest: string;
  display: string;
  name: string;
  status: CallerKey['keyStatus'];
  version: bigint;
  openingNanoUsd: bigint;
  createdAt: Date;
  account: {
    name: string;
    email: string;
    status: CallerKey['accountStatus'];
    plan: string;
    budgets: StoredBudget[];
    /** Those that it brought. */
    ownKeys: BroughtKey[];
    /** Those that stand in their place for keys of a project. */
    projectOwnKeys: (BroughtKey & { project: string })[];
    /** One who administers the gateway, if there is any; no others. */
    people: { role: 'user' | 'administrator' }[];
  };
  person: { id: string; name: string; role: 'user' | 'administrator' } | null;
};

/**
 * The key as edges hold it, with its effective limits: its own, else its plan's; its own plan, else its
 * account's.
 */
export function toCallerKey(key: StoredKey, plans: PlanTable): CallerKey {
  const plan = key.plan ?? key.account.plan;
  const limits = plans.limits(plan);
  return {
    id: key.id,
    accountId: key.accountId,
    version: Number(key.version),
    name: key.name,
    keyStatus: key.status,
    accountStatus: key.account.status,
    plan,
    rpm: effective(key.rpm, key.rpmUnlimited, limits.rpm),
    tpm: effective(key.tpm, key.tpmUnlimited, limits.tpm),
    quotaTokens: effective(key.quotaTokens, key.quotaUnlimited, limits.quotaTokens),
    concurrency: limits.concurrency,
    budgets: budgetsOf(key.id, key.account.budgets),
    ...settingsOf(key),
    modelLimits: modelLimitsWith(key, limits),
    ...(isOfOperator(key) && { operator: true as const }),
    ...ownKeysOf(key),
  };
}

function ownKeysOf({ project, account }: StoredKey): Pick<CallerKey, 'ownKeys' | 'ownKeysFallBack'> {
  const ofProject = account.projectOwnKeys.filter((key) => key.project === project);
  // Of each provider the last one stands.
  const brought = new Map([...account.ownKeys, ...ofProject].map((key) => [key.provider, key]));
  if (brought.size === 0) return {};
  const keys = [...brought.values()];
  const falling = keys.filter(({ fallsBack }) => fallsBack).map(({ provider }) => provider);
  return {
    ownKeys: Object.fromEntries(keys.map(({ provider, sealed }) => [provider, sealed])),
    ...(falling.length > 0 && { ownKeysFallBack: falling }),
  };
}

/** Its own, and those of its plan for patterns that it has none for. */
function modelLimitsWith(key: StoredKey, { modelLimits: ofPlan }: PlanLimits): CallerKey['modelLimits'] {
  const own = modelLimitsOf(key.modelLimits);
  return [...own, ...ofPlan.filter(({ model }) => !own.some((each) => each.model === model))];
}

/** Who has a key is its person, and else whoever is of the account. */
function isOfOperator({ account, person }: Pick<StoredKey, 'account' | 'person'>): boolean {
  const holders = person ? [person] : account.people;
  return account.email === operatorEmail || holders.some(({ role }) => role === 'administrator');
}

/** The key as people see it. */
export function toKeySummary(key: StoredKey, plans: PlanTable): KeySummary {
  const { ownKeys, ownKeysFallBack: _, ...told } = toCallerKey(key, plans);
  return {
    ...told,
    ...(ownKeys && { ownKeyProviders: Object.keys(ownKeys) }),
    display: key.display,
    createdAt: key.createdAt.getTime(),
    accountName: key.account.name,
    person: key.person && { id: key.person.id, name: key.person.name },
    ownLimits: {
      rpm: toOwnLimit(key.rpm, key.rpmUnlimited),
      tpm: toOwnLimit(key.tpm, key.tpmUnlimited),
      quotaTokens: toOwnLimit(key.quotaTokens, key.quotaUnlimited),
      modelLimits: modelLimitsOf(key.modelLimits),
    },
    ...(key.openingNanoUsd > 0n && { openingNanoUsd: key.openingNanoUsd.toString() }),
  };
}

/** What is asked for, as columns; what is undefined stays as it is. */
export function toColumns({ rpm, tpm, quotaTokens, expiresAt, ...rest }: ChangedKeySettings) {
  const [ownRpm, ownTpm, ownQuota] = [ownLimit(rpm), ownLimit(tpm), ownLimit(quotaTokens)];
  return {
    ...rest,
    rpm: ownRpm?.value,
    rpmUnlimited: ownRpm?.unlimited,
    tpm: ownTpm?.value,
    tpmUnlimited: ownTpm?.unlimited,
    quotaTokens: ownQuota?.value,
    quotaUnlimited: ownQuota?.unlimited,
    expiresAt: typeof expiresAt === 'number' ? new Date(expiresAt) : expiresAt,
  } satisfies Partial<{ [Name in keyof KeyColumns]: KeyColumns[Name] | undefined }>;
}

/** The name of a key, and what is set of it, for the audit log: null is the plan's. */
export function toAuditDetail(key: StoredKey) {
  return {
    name: key.name,
    plan: key.plan,
    rpm: toldLimit(key.rpm, key.rpmUnlimited),
    tpm: toldLimit(key.tpm, key.tpmUnlimited),
    quotaTokens: toldLimit(key.quotaTokens, key.quotaUnlimited),
    ...toldSettings(key),
  };
}

/** What keySettings names of a key, as the audit log keeps it: limits of models are a line each. */
export function toldSettings(key: StoredKey) {
  const { modelLimits, ...settings } = settingsOf(key);
  const told = (limit: number | null) => limit ?? 'unlimited';
  return {
    ...settings,
    modelLimits: modelLimits.map(({ model, rpm, tpm }) => `${model}: rpm=${told(rpm)}, tpm=${told(tpm)}`),
  };
}

/** Everything that is set of a key, and whose it is, for another one. */
export function columnsOf({
  id: _id,
  digest: _digest,
  display: _display,
  status: _status,
  version: _version,
  createdAt: _createdAt,
  openingNanoUsd: _openingNanoUsd,
  account: _account,
  person: _person,
  modelLimits,
  ...columns
}: StoredKey): KeyColumns & { accountId: string; personId: string | null; name: string } {
  return { ...columns, modelLimits: modelLimitsOf(modelLimits) };
}

/** A key's own limit as it is stored: absent (the plan decides), null (unlimited) or a number. */
export function storedLimit(limit: number | null | undefined): { value: bigint | null; unlimited: boolean } {
  return { value: typeof limit === 'number' ? BigInt(limit) : null, unlimited: limit === null };
}

/**
 * Of all that is known of a key, what keySettings names. The columns are trusted: only what is set passes by
 * them.
 */
function settingsOf(key: StoredKey): KeySettings {
  const { modelLimits, expiresAt } = key;
  const told = { ...key, modelLimits: modelLimitsOf(modelLimits), expiresAt: expiresAt?.getTime() ?? null };
  return Object.fromEntries(settingNames.map((name) => [name, told[name]])) as unknown as KeySettings;
}

const settingNames = keySettings.keyof().options;

const modelLimitsOf = (stored: unknown): KeySettings['modelLimits'] => callerKey.shape.modelLimits.parse(stored);

function ownLimit(limit: number | 'plan' | null | undefined): ReturnType<typeof storedLimit> | undefined {
  if (limit === undefined) return undefined;
  return storedLimit(limit === 'plan' ? undefined : limit);
}

function effective(own: bigint | null, unlimited: boolean, ofPlan: number | null): number | null {
  if (unlimited) return null;
  return own === null ? ofPlan : Number(own);
}

function toOwnLimit(own: bigint | null, unlimited: boolean): OwnLimit {
  if (unlimited) return null;
  return own === null ? 'plan' : Number(own);
}

function toldLimit(own: bigint | null, unlimited: boolean): number | 'unlimited' | null {
  if (unlimited) return 'unlimited';
  return own === null ? null : Number(own);
}
