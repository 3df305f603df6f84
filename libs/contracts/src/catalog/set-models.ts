import { z } from 'zod';
import { catalogModel, deployment, modality, outputModality } from './catalog';
import { settingsOperations } from './catalog-operations';
import { operation } from '../operation';
import { retirement } from './retirement';
import { text } from '../text';
import { timeLimits } from './time-limits';

const { priority, weight, maxConcurrent } = deployment.shape;

/** A place of a model as it is said. `upstreamModel` absent: the model's own. */
export const statedDeployment = z.strictObject({
  id: z.string().min(1).optional(),
  provider: z.string().min(1),
  upstreamModel: z.string().min(1).optional(),
  priority,
  weight,
  maxConcurrent,
});

const facts = catalogModel.shape;

/** What may be said of a model, but its price. What is absent is as the release has it. */
export const statedModel = z
  .object({
    name: facts.name.min(1),
    kind: facts.kind.unwrap(),
    provider: z.string().min(1),
    upstreamModel: z.string().min(1),
    status: facts.status,
    contextWindow: facts.contextWindow,
    maxOutputTokens: facts.maxOutputTokens,
    maxOutputUnstreamed: facts.maxOutputUnstreamed,
    sharedContext: facts.sharedContext,
    inputModalities: z.array(modality).min(1),
    outputModalities: z.array(outputModality).min(1),
    capabilities: facts.capabilities.partial().strict(),
    reasoningEfforts: facts.reasoningEfforts,
    retirement: retirement.strict().nullable(),
    aliases: z.array(facts.id),
    deployments: z.array(statedDeployment).min(1),
    fallbacks: z.array(z.string().min(1)),
    timeouts: timeLimits.strict(),
    hedgeAfterMs: facts.hedgeAfterMs,
    continueBrokenStreams: facts.continueBrokenStreams,
  })
  .partial();
export type StatedModel = z.infer<typeof statedModel>;

const { version, reason, by } = settingsOperations.apply.request.shape;
const { origin, standing, problem } = settingsOperations.show.reply.shape.entries.element.shape;
const model = text(200).min(1);
/** `version`: only where the settings are of this version; absent: whichever. */
const change = { model, version: version.optional(), reason, by };

/**
 * A model of which tollgate.yaml or the settings say something. `said`: what the settings say; null: it is of
 * the file, or this release cannot read it.
 */
const setModel = z.object({ model: z.string(), origin, standing, problem, said: statedModel.nullable() });
export type SetModel = z.infer<typeof setModel>;

/**
 * Models, their deployments and their fallbacks that are set without the file. Each change is a version of
 * the settings, with their history. Catalog answers, `unavailable` while its database is away.
 */
export const setModelOperations = {
  /** Those that the file has, and those of the newest version of the settings. */
  list: operation('catalog.models.list-set', z.object({}), z.object({ version, models: z.array(setModel) })),
  /**
   * Adds a model, or changes what of one is said: what is absent stays as it is said. `unset`: fields that
   * are said no more. `mustBeNew`: `conflict` where there is one of this id. `invalid` for what does not
   * fit, where tollgate.yaml has the model, and for a new one without a price; `outdated` where the settings
   * are of another version.
   */
  set: operation(
    'catalog.models.set',
    z.object({
      ...statedModel.shape,
      ...change,
      unset: z.array(statedModel.keyof()).default([]),
      mustBeNew: z.boolean().optional(),
    }),
    settingsOperations.apply.reply,
  ),
  /** What the release says of it holds again; a new one is gone. `not_found` where the settings say nothing. */
  remove: operation('catalog.models.remove', z.object(change), settingsOperations.apply.reply),
};
