import { modelDiscovery, providerDefinition, serverNames, timeLimits } from '@tollgate/contracts/catalog';
import { z } from 'zod';

const {
  id,
  name,
  dialect,
  alsoSpeaks,
  alsoAt,
  baseUrl,
  placeholders,
  authentication,
  queues,
  documentation,
  makes,
  quirks,
  loadMetrics,
  loadSlots,
} = providerDefinition.shape;
const environmentName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);
const environmentNames = z.union([environmentName.transform((one) => [one]), z.array(environmentName)], {
  error: 'must be the name of an environment variable, or a list of names: never the key itself',
});

/**
 * `discover`, or the same with its settings; `never`: nothing but the catalog's. An absent prefix is the
 * provider's id and a slash.
 */
const models = z.union(
  [
    z.literal('discover').transform(() => ({})),
    z.literal('never').transform(() => null),
    z
      .strictObject({
        discover: z.literal(true),
        match: z
          .union([
            z
              .string()
              .min(1)
              .transform((one) => [one]),
            modelDiscovery.shape.match.unwrap().min(1),
          ])
          .optional(),
        prefix: z
          .string()
          .regex(/^(?:[\w.:@-]+\/?)*$/, 'a prefix is letters, digits and . : @ _ - and / between them')
          .optional(),
        serve: modelDiscovery.shape.serve.unwrap().optional(),
        onlyNew: modelDiscovery.shape.onlyNew.unwrap().optional(),
        everyS: modelDiscovery.shape.everyS.unwrap().optional(),
      })
      .transform(({ discover, ...settings }) => settings),
  ],
  {
    error:
      'must be discover, never, or { discover: true, match: [patterns of names], prefix: text, serve: at-once or on-approval, onlyNew: true or false, everyS: seconds }',
  },
);

/** The models of a provider that an entry tells, as somebody writes them. */
export function writtenModels(told: z.output<typeof models>): unknown {
  if (told === null) return 'never';
  return Object.keys(told).length === 0 ? 'discover' : { discover: true, ...told };
}

const quirk = quirks.unwrap().shape;
/** Without the defaults of a new provider, which would undo what a built-in one has. */
const quirksSaid = z
  .strictObject({
    maxTokensField: quirk.maxTokensField.unwrap(),
    mostUnstreamed: quirk.mostUnstreamed.unwrap(),
    streamsUsageUnasked: quirk.streamsUsageUnasked.unwrap(),
    dropFields: quirk.dropFields.unwrap(),
    chatDropFields: quirk.chatDropFields.unwrap(),
    reasonersRefuse: quirk.reasonersRefuse.unwrap(),
    refusesNull: quirk.refusesNull.unwrap(),
    dimensionsField: quirk.dimensionsField.unwrap(),
    refusesStop: quirk.refusesStop.unwrap(),
    refusesMetadata: quirk.refusesMetadata.unwrap(),
    longestName: quirk.longestName.unwrap(),
    reasoningField: quirk.reasoningField.unwrap(),
    insistsOnReasoning: quirk.insistsOnReasoning.unwrap(),
    thinkingSwitch: quirk.thinkingSwitch.unwrap(),
    highestTemperature: quirk.highestTemperature.unwrap(),
    closedSchemas: quirk.closedSchemas.unwrap(),
    noJsonSchema: quirk.noJsonSchema.unwrap(),
    noForceWhileThinking: quirk.noForceWhileThinking.unwrap(),
    cacheMarks: quirk.cacheMarks.unwrap(),
    customTools: quirk.customTools.unwrap(),
    reservedTools: quirk.reservedTools.unwrap(),
    plainToolRoots: quirk.plainToolRoots.unwrap(),
    conversationHeader: quirk.conversationHeader.unwrap(),
    dropMessageFields: quirk.dropMessageFields.unwrap(),
    systemForDeveloper: quirk.systemForDeveloper.unwrap(),
    mistralTurns: quirk.mistralTurns.unwrap(),
    moonshotSchemas: quirk.moonshotSchemas.unwrap(),
    toolsElsewhere: quirk.toolsElsewhere.unwrap(),
    webSearch: quirk.webSearch.unwrap(),
    codeExecution: quirk.codeExecution.unwrap(),
    compacts: quirk.compacts.unwrap(),
    agentMessages: quirk.agentMessages.unwrap(),
    keepsUnlessTold: quirk.keepsUnlessTold.unwrap(),
    takesServiceTier: quirk.takesServiceTier.unwrap(),
    dropBetas: quirk.dropBetas.unwrap(),
    modelInPath: quirk.modelInPath.unwrap(),
  } satisfies Record<keyof typeof quirk, z.ZodType>)
  .partial();

/**
 * A file of before 23 November 2026 may say `reasoningPlaceholder`, which is now `insistsOnReasoning`. Null
 * meant nothing; a text means that all of the provider's models insist, for which a space stands then,
 * whatever the text was. What the new name says counts more.
 */
function withoutOldNames(said: unknown): unknown {
  if (typeof said !== 'object' || said === null || !('reasoningPlaceholder' in said)) return said;
  const { reasoningPlaceholder, ...rest } = said;
  if (reasoningPlaceholder === null) return rest;
  return typeof reasoningPlaceholder === 'string' ? { insistsOnReasoning: [''], ...rest } : said;
}

/**
 * A provider of tollgate.yaml. Only `id` is needed to change a built-in provider: what is absent stays as it
 * is.
 * A new provider needs `dialect` and `baseUrl` too, or a `preset`, which brings both, and has `queues` unless
 * it says `queues: false`. `models: discover` offers what it lists, `unlisted` passes any name on. `timeouts`
 * and `quirks` are changed field by field, the others as a whole.
 */
export const providerEntry = z.strictObject({
  id,
  name: name.min(1).optional(),
  preset: z.enum(serverNames).optional(),
  models: models.optional(),
  unlisted: z.boolean().optional(),
  ownKeys: z.boolean().optional(),
  textCompletions: z.boolean().optional(),
  tokenizes: z.boolean().optional(),
  loadMetrics: loadMetrics.unwrap().optional(),
  loadSlots: loadSlots.unwrap().optional(),
  dialect: dialect.optional(),
  alsoSpeaks: alsoSpeaks.unwrap().optional(),
  alsoAt: alsoAt.unwrap().optional(),
  baseUrl: baseUrl.optional(),
  placeholders: placeholders.unwrap().optional(),
  authentication: authentication.unwrap().optional(),
  apiKeyEnv: environmentNames.optional(),
  headers: z.record(z.string(), z.string()).optional(),
  timeouts: timeLimits.strict().optional(),
  queues: queues.unwrap().optional(),
  documentation,
  makes: makes.unwrap().optional(),
  quirks: z.preprocess(withoutOldNames, quirksSaid).optional(),
});
export type ProviderEntry = z.infer<typeof providerEntry>;
