import { z } from 'zod';
import { newKeySettings } from './accounts';
import { budgetLimit, budgetUsd, budgetWindow, projectName } from '../metering/budgets';
import { operation } from '../operation';
import { emailAddress, personName } from './people';
import { text, thingName } from '../text';

/** A key by all that another gateway keeps of it: its SHA-256, in hex. */
const keyHash = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex');
const name = thingName(100);

/**
 * A key that comes over. `display` is what people see of it; `openingUsd` is what was spent with it there.
 * `revoked`: it does not work, and never will.
 */
const importedKey = z.object({
  sha256: keyHash,
  display: text(40).min(1),
  name,
  revoked: z.boolean().default(false),
  openingUsd: budgetUsd.default('0'),
  ...newKeySettings.shape,
});
export type ImportedKey = z.input<typeof importedKey>;

/**
 * A budget of some of these keys, or (none) of the whole account; with `project`, of the keys that are of it,
 * where there are any. `openingUsd`, or of one in tokens `openingTokens`: what was spent there in the window
 * at hand.
 */
const importedBudget = z.object({
  name,
  keys: z.array(keyHash).max(10_000).default([]),
  project: projectName.optional(),
  ...budgetLimit,
  window: budgetWindow,
  openingUsd: budgetUsd.default('0'),
  openingTokens: z.number().int().min(0).default(0),
});
export type ImportedBudget = z.input<typeof importedBudget>;

/**
 * An account that comes over, with some of its keys and budgets. `reference` says which one it is, whenever
 * it is told: an address of mail, or a text that is none, such as `litellm:team:<id>`, for an account that
 * nobody signs in for. `person`: who signs in for the address, and with it.
 */
const importedAccount = z.object({
  reference: text(250).min(1),
  name: thingName(200),
  person: z.object({ name: personName, email: emailAddress }).nullable(),
  suspended: z.boolean().default(false),
  plan: text(100).min(1),
  keys: z.array(importedKey).max(500).default([]),
  budgets: z.array(importedBudget).max(500).default([]),
});
export type ImportedAccount = z.input<typeof importedAccount>;

const counts = z.object({ accounts: z.number(), people: z.number(), keys: z.number(), budgets: z.number() });
export type ImportCounts = z.infer<typeof counts>;

/** What accounts answers to whoever brings accounts and keys of another gateway. */
export const importOperations = {
  /**
   * Takes an account over. What is there already, by its reference, its hash or its name, stays as it is,
   * however often it is told. `made` counts what was not.
   * `invalid`: an unknown plan, a person of another address than the reference, a budget of dollars and
   * tokens or of neither, or of a key that the account does not have; `conflict`: the account has too many
   * budgets.
   */
  take: operation(
    'accounts.imports.take',
    z.object({ source: text(60).min(1), account: importedAccount, actor: text(200).min(1) }),
    z.object({ accountId: z.string(), made: counts }),
  ),
};
