import { z } from 'zod';
import { deploymentHold } from '../inference/deployment-health';
import { operation } from '../operation';
import { text } from '../text';
import { toldSnapshot } from './told-snapshot';

const snapshotSubject = 'catalog.snapshot.get';

/** What catalog is asked. */
export const catalogOperations = {
  snapshot: operation(snapshotSubject, z.object({}), toldSnapshot),
  /**
   * The same, but of one that has the digest `unless` the revision alone. A catalog of an older release tells
   * all of it.
   */
  snapshotUnless: operation(
    snapshotSubject,
    z.object({ unless: z.string().optional() }),
    z.object({ revision: z.number().int(), isSame: z.literal(true) }).or(toldSnapshot),
  ),
  /**
   * Switches a model off, for everybody and also as a fallback, or on again. `not_found` for one that the
   * catalog does not have.
   */
  setModelEnabled: operation(
    'catalog.models.set-enabled',
    z.object({ model: text(200), enabled: z.boolean() }),
    z.object({ model: z.string(), enabled: z.boolean() }),
  ),
  /**
   * Closes a deployment, drains it, or opens it again. `forS`: for so long, absent: until it is opened.
   * Replies with the decision that holds now. `not_found` for one that the catalog does not have.
   */
  holdDeployment: operation(
    'catalog.deployments.hold',
    z.object({
      deployment: text(300),
      state: z.enum(['open', ...deploymentHold.shape.state.options]),
      reason: text(300).optional(),
      by: text(200),
      forS: z.number().int().positive().max(31_536_000).optional(),
    }),
    z.object({ held: deploymentHold.nullable() }),
  ),
};

/** Sections of tollgate.yaml that may be set without it. */
const settingsSections = ['models', 'plans', 'guardrails', 'newModels'] as const;
const section = z.enum([...settingsSections, 'providers', 'contentLog']);

/** The first is 1; 0: nothing was ever set. Not more than Postgres has room for. */
const version = z.number().int().nonnegative().max(2_147_483_647);
/** YAML, in the words of tollgate.yaml, as it was given. */
const document = text(50_000);
const reason = text(300).optional();
const by = text(200);

/** A version of the settings: who set it, when (epoch milliseconds) and why (null: not said). */
const settingsVersion = z.object({
  version: version.positive(),
  setAt: z.number(),
  setBy: z.string(),
  reason: z.string().nullable(),
});

/**
 * An entry, and who says it. `id` null: the section as a whole. `standing` of one of the settings:
 * `in-force`; `overridden`, the file says the same entry or section, which wins; `set-aside`, it does not fit
 * the file or the release, for the reason that `problem` tells (null in every other case).
 */
const settingsEntry = z.object({
  section,
  id: z.string().nullable(),
  origin: z.enum(['file', 'settings']),
  standing: z.enum(['in-force', 'overridden', 'set-aside']),
  problem: z.string().nullable(),
});
export type SettingsEntry = z.infer<typeof settingsEntry>;

/**
 * What is another in an entry. `id` null: the section as a whole. `before` and `after` are JSON, null: not
 * there.
 */
const settingsChange = z.object({
  section,
  id: z.string().nullable(),
  what: z.enum(['added', 'removed', 'changed']),
  fields: z.array(z.object({ field: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
});
export type SettingsChange = z.infer<typeof settingsChange>;

/**
 * What a change led, or would lead, to. `applied` false: it was only looked at, or the text is the same.
 * `passedOver`: entries of the document that do not hold. `inForce`: the version that the instance which
 * answers has put in force by now; absent: nothing was applied.
 */
const settingsOutcome = z.object({
  version,
  applied: z.boolean(),
  changes: z.array(settingsChange),
  passedOver: z.array(settingsEntry).default([]),
  inForce: version.optional(),
});

/**
 * What is set without the file. Catalog answers, `unavailable` while its database is away.
 */
export const settingsOperations = {
  /**
   * The newest version and its document (version 0: an empty one, set by nobody), and every entry of it and
   * of the file. `inForce`: the version that the instance which answers has put in force.
   */
  show: operation(
    'catalog.settings.get',
    z.object({}),
    z.object({
      version,
      document: z.string(),
      setAt: z.number().nullable(),
      setBy: z.string().nullable(),
      reason: z.string().nullable(),
      inForce: version,
      entries: z.array(settingsEntry),
    }),
  ),
  /**
   * Puts a whole document in force in the place of the one before. `version`: the one that it was made from;
   * `outdated` where another holds by now. `invalid` names the place of every fault. `dryRun`: nothing is
   * stored, the outcome tells what would change. `takesAllBack`: to be said where the document is empty and
   * the one before is not; `invalid` else, as after a program that failed and left nothing.
   */
  apply: operation(
    'catalog.settings.apply',
    z.object({
      ...{ document, version, reason, by },
      dryRun: z.boolean().default(false),
      takesAllBack: z.boolean().default(false),
    }),
    settingsOutcome,
  ),
  /** Versions, the newest first. `after`: those that are older than this one. */
  history: operation(
    'catalog.settings.history',
    z.object({ limit: z.number().int().min(1).max(500).default(100), after: version.optional() }),
    z.object({ versions: z.array(settingsVersion), next: version.nullable() }),
  ),
  /** One version with its document. `not_found` for one that there never was. */
  find: operation(
    'catalog.settings.find',
    z.object({ version }),
    z.object({ settings: settingsVersion.extend({ document: z.string() }) }),
  ),
  /**
   * Puts the document of the version `to` in force again, as a version of its own; 0: the empty one.
   * `version` (absent: whichever): as in apply. What does not fit the file and the release any more is passed
   * over. `invalid` where this release cannot read the document.
   */
  rollBack: operation(
    'catalog.settings.roll-back',
    z.object({ to: version, version: version.optional(), reason, by }),
    settingsOutcome,
  ),
};
