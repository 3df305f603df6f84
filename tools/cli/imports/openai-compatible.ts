import { z } from 'zod';
import type { SettingsReport } from './settings-report';
import { keyVariable, modelId, type WrittenModel, type WrittenProvider } from './written-file';

const address = z.url({ protocol: /^https?$/ });
const modelName = z.union([z.string().min(1), z.looseObject({ name: z.string().min(1) }).transform((one) => one.name)]);
const models = z.array(modelName).nullish();
/** The names that lists of endpoints have for one thing. */
const endpoint = z
  .looseObject({
    name: z.string().nullish(),
    base_url: address.optional(),
    baseUrl: address.optional(),
    api_base: address.optional(),
    url: address.optional(),
    api_key: z.string().nullish(),
    apiKey: z.string().nullish(),
    models,
    model: modelName.nullish(),
    weight: z.number().nonnegative().nullish(),
  })
  .refine((one) => addressOf(one) !== undefined, 'needs base_url, the address up to /v1');
type Endpoint = z.output<typeof endpoint>;

/** A list of endpoints that speak OpenAI's format: the list itself, or `endpoints` of a document. */
export const endpointList = {
  schema: z.looseObject({ endpoints: z.array(endpoint) }),
  what: 'list of endpoints',
  prepare: (said: unknown): unknown => (Array.isArray(said) ? { endpoints: said } : said),
};

const read = new Set([
  'name',
  'base_url',
  'baseUrl',
  'api_base',
  'url',
  'api_key',
  'apiKey',
  'models',
  'model',
  'weight',
]);

function addressOf(one: { base_url?: string; baseUrl?: string; api_base?: string; url?: string }): string | undefined {
  return one.base_url ?? one.baseUrl ?? one.api_base ?? one.url;
}

/**
 * Makes a provider of each endpoint, and a model of each name that one has: several endpoints of one name are
 * its deployments. One that names no model is asked what it has.
 */
export function fromEndpoints(
  { endpoints }: z.output<typeof endpointList.schema>,
  report: SettingsReport,
): { providers: WrittenProvider[]; models: WrittenModel[] } {
  const providers: WrittenProvider[] = [];
  const places = new Map<string, { provider: string; upstreamModel: string; weight: number }[]>();
  for (const one of endpoints) {
    const id = freeId(one, providers);
    const names = [...(one.models ?? []), ...(one.model ? [one.model] : [])];
    providers.push({
      ...{ id, preset: 'openai-compatible', baseUrl: addressOf(one) },
      ...keyOf(id, one, report),
      ...(names.length === 0 && { models: 'discover' }),
    });
    report.carried('endpoint', 'a provider with that address');
    if (names.length === 0)
      report.carried('models (none named)', `models: discover, as ${id}/<name>; their prices are not known`);
    for (const name of names) {
      const place = { provider: id, upstreamModel: name, weight: one.weight ?? 1 };
      places.set(modelId(name), [...(places.get(modelId(name)) ?? []), place]);
    }
    for (const [field, value] of Object.entries(one))
      if (!read.has(field) && value !== null && value !== undefined)
        report.left(`endpoint.${field}`, 'see providers in docs/tollgate.example.yaml for what there is instead');
  }
  return { providers, models: [...places].map(([id, deployments]) => modelOf(id, deployments, report)) };
}

function modelOf(
  id: string,
  deployments: readonly { provider: string; upstreamModel: string; weight: number }[],
  report: SettingsReport,
): WrittenModel {
  report.carried(
    'models',
    'models of the same names; callers are shared out by weight where several endpoints have one',
  );
  report.left(`models: ${id} (price)`, 'give it prices, or usage is unpriced and keys with a budget are refused');
  const alone = deployments.length === 1;
  return { id, deployments: deployments.map(({ weight, ...place }) => (alone ? place : { ...place, weight })) };
}

/** Its name, or its host, as the id of a provider has it, with a number where that is taken. */
function freeId(one: Endpoint, taken: readonly WrittenProvider[]): string {
  const wish = one.name ?? new URL(addressOf(one) ?? '').hostname;
  const plain =
    wish
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'server';
  const isTaken = (id: string): boolean => taken.some((other) => other.id === id);
  let id = plain;
  for (let number = 2; isTaken(id); number++) id = `${plain}-${number}`;
  return id;
}

/** Keys never come into the file: a reference to the environment stays one, another key gets a variable. */
function keyOf(id: string, { api_key, apiKey }: Endpoint, report: SettingsReport): { apiKeyEnv?: string } {
  const key = api_key ?? apiKey ?? '';
  if (/^(?:none|null|empty|dummy|)$/i.test(key)) return {};
  const named = /^(?:os\.environ\/|\$\{?|env[:.])([A-Za-z_][A-Za-z0-9_]*)\}?$/.exec(key)?.[1];
  if (named !== undefined) {
    report.carried('endpoint.api_key', 'an environment variable stays one: set the same for inference');
    return { apiKeyEnv: named };
  }
  const variable = keyVariable(id);
  report.changed('endpoint.api_key', `the key stood in the file; set ${variable} of inference to it`);
  return { apiKeyEnv: variable };
}
