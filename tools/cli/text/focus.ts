import { decimalFromNanoUsd, monthStartMs } from '@tollgate/contracts';
import type { UsedDay } from '@tollgate/contracts/metering';

/**
 * A day's usage, with the names of the key and the account. Null: nobody knows them any more. `project`: that
 * the key is of now; null: none. `tags`: those that the key has now.
 */
export interface NamedDay extends UsedDay {
  keyName: string | null;
  project: string | null;
  accountName: string | null;
  tags: readonly string[];
}

type Cell = string | number | null;

/**
 * The columns of FOCUS 1.2, the FinOps Open Cost and Usage Specification: all that are mandatory, those that
 * hold here, and ours (`x_`). A row is a day of a key, a model and a provider.
 * https://focus.finops.org/focus-specification/v1-2/
 */
const columns: Readonly<Record<string, (row: NamedDay) => Cell>> = {
  BilledCost: cost,
  BillingAccountId: ({ accountId }) => accountId || 'unknown',
  BillingAccountName: ({ accountName }) => accountName,
  BillingCurrency: () => 'USD',
  BillingPeriodEnd: ({ day }) => instant(monthStartMs(Date.parse(day), 1)),
  BillingPeriodStart: ({ day }) => instant(monthStartMs(Date.parse(day))),
  ChargeCategory: () => 'Usage',
  // Null: it corrects no charge of an earlier period.
  ChargeClass: () => null,
  ChargeDescription: ({ model, provider }) => `${model} at ${provider || 'no provider'}`,
  ChargeFrequency: () => 'Usage-Based',
  ChargePeriodEnd: ({ day }) => instant(Date.parse(day) + dayMs),
  ChargePeriodStart: ({ day }) => instant(Date.parse(day)),
  ConsumedQuantity: (row) => quantity(row).value,
  ConsumedUnit: (row) => quantity(row).unit,
  ContractedCost: cost,
  EffectiveCost: cost,
  InvoiceIssuerName: () => 'Tollgate',
  ListCost: cost,
  PricingQuantity: (row) => quantity(row).value,
  PricingUnit: (row) => quantity(row).unit,
  ProviderName: ({ provider }) => provider || 'unknown',
  PublisherName: ({ model, provider }) => makerOf(model) ?? (provider || 'unknown'),
  ResourceId: ({ keyId }) => keyId,
  ResourceName: ({ keyName }) => keyName,
  ResourceType: () => 'API key',
  ServiceCategory: () => 'AI and Machine Learning',
  ServiceName: ({ model }) => model,
  ServiceSubcategory: () => 'Generative AI',
  SubAccountId: ({ project }) => project,
  SubAccountName: ({ project }) => project,
  SubAccountType: ({ project }) => (project === null ? null : 'Project'),
  Tags: ({ tags }) => (tags.length === 0 ? null : asKeyValues(tags)),
  x_Requests: ({ requests }) => requests,
  x_UnpricedRequests: ({ unpricedRequests }) => unpricedRequests,
  x_InputTokens: ({ inputTokens }) => inputTokens,
  x_CachedInputTokens: ({ cachedInputTokens }) => cachedInputTokens,
  x_OutputTokens: ({ outputTokens }) => outputTokens,
  x_ReasoningTokens: ({ reasoningTokens }) => reasoningTokens,
};

const dayMs = 86_400_000;

export const focusColumns = Object.keys(columns);

/** A row of these columns. */
export function focusRow(row: NamedDay): Cell[] {
  return Object.values(columns).map((cell) => cell(row));
}

/**
 * What the ledger charged. Contracts are in it (`discount` and `markup` of deployments), so that the prices
 * of lists and contracts are not told apart.
 */
function cost({ costNanoUsd }: NamedDay): string {
  return decimalFromNanoUsd(BigInt(costNanoUsd));
}

/** Tokens, but of what is charged by other things only (requests that failed, searches): requests. */
function quantity({ inputTokens, outputTokens, requests }: NamedDay): { value: number; unit: string } {
  const tokens = inputTokens + outputTokens;
  return tokens > 0 ? { value: tokens, unit: 'Tokens' } : { value: requests, unit: 'Requests' };
}

/**
 * A tag without a value is true, and of several values of one name the first stands: each has one.
 * https://focus.finops.org/focus-specification/v1-2/#tags
 */
function asKeyValues(tags: readonly string[]): string {
  const pairs = tags.map((tag): [string, string | true] => {
    const at = tag.indexOf('=');
    return at < 0 ? [tag, true] : [tag.slice(0, at), tag.slice(at + 1)];
  });
  return JSON.stringify(Object.fromEntries(pairs.reverse()));
}

/** Public ids begin with the maker of a model, or with the place that is meant. */
function makerOf(model: string): string | null {
  const [maker, ...name] = model.split('/');
  return maker !== undefined && name.length > 0 ? maker : null;
}

/** As FOCUS has them: https://focus.finops.org/focus-specification/v1-2/#datetimeformat */
function instant(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}
