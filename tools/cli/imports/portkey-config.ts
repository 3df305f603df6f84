import { z } from 'zod';

const millis = z.coerce.number().positive().max(86_400_000).nullish();
const text = z.string().min(1).nullish();

/**
 * A model that is called `@slug/model` says whose it is. https://portkey.ai/docs/product/model-catalog
 */
export const cataloged = /^@([^/]+)\/(.+)$/;

/** What stands at every level of a config, as far as it is read. */
const levelShape = {
  name: text,
  strategy: z.looseObject({ mode: z.string(), conditions: z.unknown().optional(), default: text }).nullish(),
  provider: text,
  virtual_key: text,
  api_key: text,
  weight: z.coerce.number().nonnegative().nullish(),
  override_params: z.record(z.string(), z.unknown()).nullish(),
  request_timeout: millis,
  custom_host: text,
  resource_name: text,
  azure_resource_name: text,
  deployment_id: text,
  azure_deployment_id: text,
  aws_region: text,
  vertex_project_id: text,
  vertex_region: text,
  openai_organization: text,
};

/** A config of Portkey, or a target of one, which may have targets of its own. */
export interface PortkeyConfig extends z.output<z.ZodObject<typeof levelShape, z.core.$loose>> {
  targets?: PortkeyConfig[] | null;
}

/**
 * A config of Portkey.
 * https://github.com/Portkey-AI/gateway/blob/main/src/middlewares/requestValidator/schema/config.ts
 * https://portkey.ai/docs/api-reference/inference-api/config-object
 */
const portkeyConfig: z.ZodType<PortkeyConfig> = z.looseObject({
  ...levelShape,
  targets: z.array(z.lazy(() => portkeyConfig)).nullish(),
});

/**
 * What a file holds: a config, or what Portkey's API answers of one, in which it may be a text, in either
 * spelling of its names.
 * https://portkey.ai/docs/api-reference/admin-api/control-plane/configs/retrieve-config
 * The former names: https://docs.portkey.ai/portkey-docs/portkey-features/ai-gateway/configs
 */
export const portkeyFile = {
  schema: z
    .looseObject({ config: portkeyConfig, slug: text, name: text })
    .refine(
      ({ config }) => isConfig(config),
      'needs strategy and targets, or provider, virtual_key or a model @slug/name: one that leads nowhere has nothing to carry, leave it out; write mode and options, the former names, as strategy and targets',
    ),
  what: 'config of Portkey',
  prepare: unwrapped,
};

function isConfig({ targets, provider, virtual_key: key, override_params: params }: PortkeyConfig): boolean {
  return (targets ?? []).length > 0 || provider != null || key != null || cataloged.test(String(params?.model));
}

function unwrapped(said: unknown): unknown {
  const body = isObject(said) && isObject(said.data) ? said.data : said;
  if (!isObject(body)) return said;
  const { config = body, ...names } = body;
  return { ...('config' in body && names), config: levelOf(typeof config === 'string' ? parsed(config) : config) };
}

function parsed(config: string): unknown {
  try {
    return JSON.parse(config);
  } catch {
    return config;
  }
}

/** A level in the one spelling of its names that is read; those of parameters are callers' own. */
function levelOf(said: unknown): unknown {
  if (!isObject(said)) return said;
  const level = snakeCased(said);
  return {
    ...level,
    ...(isObject(level.strategy) && { strategy: snakeCased(level.strategy) }),
    ...(Array.isArray(level.targets) && { targets: level.targets.map(levelOf) }),
  };
}

function snakeCased(said: Record<string, unknown>): Record<string, unknown> {
  const name = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(said).map(([key, value]) => [name(key), value]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
