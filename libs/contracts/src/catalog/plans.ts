import { z } from 'zod';
import { keySettings } from '../accounts/accounts';
import { settingsOperations } from './catalog-operations';
import { operation } from '../operation';
import { planLimits, planName } from '../accounts/plan';

const { version, reason, by } = settingsOperations.apply.request.shape;
/** `version`: only where the settings are of this version; absent: whichever. */
const change = { plan: planName, version: version.optional(), reason, by };

/**
 * Plans of the settings that are set without tollgate.yaml. Each change is a version of these settings, with
 * their history. Catalog answers, `unavailable` while its database is away.
 */
export const planOperations = {
  /** All of the newest version. `unreadable`: names of those that this release does not understand. */
  list: operation(
    'catalog.plans.list',
    z.object({}),
    z.object({ version, plans: z.record(z.string(), planLimits), unreadable: z.array(z.string()) }),
  ),
  /**
   * Adds a plan or takes the place of the one before, as a whole. `mustBeNew`: `conflict` where there is one
   * of this name, of the release or the file, too. `invalid` where tollgate.yaml has it, `outdated` where the
   * settings are of another version.
   */
  set: operation(
    'catalog.plans.set',
    z.object({
      ...planLimits.shape,
      ...change,
      mustBeNew: z.boolean().optional(),
      modelLimits: keySettings.shape.modelLimits.default([]),
    }),
    settingsOperations.apply.reply,
  ),
  /** `not_found` where the settings do not have it. Keys of a plan that is gone have the limits of beta. */
  remove: operation('catalog.plans.remove', z.object(change), settingsOperations.apply.reply),
};
