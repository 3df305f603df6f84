import { z } from 'zod';
import { isModelId, perMillion, type KnownModels } from './model-entries';
import type { SettingsReport } from './settings-report';
import { modelId, type WrittenModel } from './written-file';

const rate = z.coerce.number().nullish().catch(null);
const list = z.array(z.string()).nullish();
const tokens = z.number().int().positive().nullish().catch(null);

/**
 * What OpenRouter's API answers of its models.
 * https://openrouter.ai/docs/api/api-reference/models/get-models
 */
export const openrouterModels = z.looseObject({
  data: z.array(
    z.looseObject({
      ...{ id: z.string().min(1), name: z.string().nullish(), context_length: tokens, supported_parameters: list },
      architecture: z.looseObject({ input_modalities: list, output_modalities: list }).nullish(),
      pricing: z
        .looseObject({
          ...{ prompt: rate, completion: rate, request: rate, input_cache_read: rate, input_cache_write: rate },
          ...{ input_cache_write_1h: rate, audio: rate, audio_output: rate, image_token: rate },
          ...{ internal_reasoning: rate, web_search: rate },
        })
        .nullish(),
      top_provider: z.looseObject({ max_completion_tokens: tokens }).nullish(),
      // https://openrouter.ai/docs/client-sdks/typescript/models/modelaliastarget
      alias_target: z.looseObject({ slug: z.string() }).nullish().catch(null),
    }),
  ),
});
type Listed = z.output<typeof openrouterModels>['data'][number];

/** Modalities by OpenRouter's names of them. */
const modalities: Readonly<Record<string, string>> = {
  text: 'text',
  image: 'image',
  audio: 'audio',
  video: 'video',
  file: 'pdf',
};

/**
 * Makes models of OpenRouter's list, which are asked there under their names. Those that the catalog has
 * under the same id keep their own provider, and OpenRouter behind it.
 */
export function fromOpenrouterModels(
  listed: readonly Listed[],
  known: KnownModels,
  report: SettingsReport,
): WrittenModel[] {
  const models = listed.filter(isNoAlias).flatMap((model): WrittenModel[] => {
    const id = modelId(model.id);
    if (!isModelId(id) || id !== model.id) {
      report.left(`model ${model.id}`, 'no id can be made of this name; add the model by hand');
      return [];
    }
    const place = { provider: 'openrouter', upstreamModel: model.id };
    const base = known.get(id);
    if (base?.id === id) {
      const provider = base.provider ?? id.slice(0, id.indexOf('/'));
      const own = { provider, upstreamModel: base.upstreamModel ?? id.slice(provider.length + 1) };
      report.changed(
        'models (in the catalog)',
        'asked of their own provider where its key is set, else, or when it fails, of OpenRouter; the price is that of the catalog',
      );
      return [
        {
          id,
          deployments: base.deployments
            ? [...base.deployments, { ...place, priority: 1 }]
            : [own, { ...place, priority: 1 }],
        },
      ];
    }
    report.carried('models', 'models of the same names at OpenRouter, with its prices');
    return [{ id, ...factsOf(model), ...pricesOf(model, report), deployments: [place] }];
  });
  for (const one of listed) if (!isNoAlias(one)) addAlias(one, models, known, report);
  return models;
}

/** `~maker/family-latest` is the newest model of a family, whichever that is when somebody asks. */
function isNoAlias({ id }: Listed): boolean {
  return !id.startsWith('~');
}

/**
 * Such a name stands for the model that the list says it means now, with what that one costs; it does not
 * move along. https://openrouter.ai/docs/guides/routing/routers/latest-resolution
 */
function addAlias(
  { id, alias_target: target }: Listed,
  models: readonly WrittenModel[],
  known: KnownModels,
  report: SettingsReport,
): void {
  const model = models.find((one) => one.id === target?.slug);
  const alias = modelId(id);
  if (!model || models.some((one) => one.id === alias)) {
    report.left(
      `model ${id}`,
      `it stands for ${target?.slug ?? 'one that the list does not name'}, which does not come: list it, or have callers name a model`,
    );
    return;
  }
  const before = z.array(z.string()).catch(known.get(model.id)?.aliases ?? []);
  model.aliases = [...before.parse(model.aliases), alias];
  report.changed(
    `model ${id}`,
    `callers ask ${alias}, an alias of ${model.id}, which it meant as the list was made: it does not move along`,
  );
}

function factsOf({
  name,
  context_length: window,
  top_provider: top,
  architecture,
  supported_parameters: parameters,
}: Listed): object {
  const inputs = (architecture?.input_modalities ?? []).flatMap((one) => modalities[one] ?? []);
  const takes = (parameter: string): boolean => parameters?.includes(parameter) ?? true;
  return {
    ...(name != null && { name }),
    ...(window != null && { contextWindow: window }),
    ...(top?.max_completion_tokens != null && { maxOutputTokens: top.max_completion_tokens }),
    ...(inputs.length > 0 && { inputModalities: inputs }),
    capabilities: {
      ...{
        tools: takes('tools'),
        vision: inputs.includes('image'),
        reasoning: parameters?.includes('reasoning') ?? false,
      },
      ...{ structuredOutput: takes('structured_outputs'), temperature: takes('temperature') },
    },
  };
}

/**
 * Ours by OpenRouter's names of prices of a token, but for those of plain input and output.
 * https://openrouter.ai/docs/client-sdks/typescript/models/pricing
 */
const tokenRates: Readonly<Record<string, string>> = {
  input_cache_read: 'cachedInput',
  input_cache_write: 'cacheWrite5m',
  input_cache_write_1h: 'cacheWrite1h',
  internal_reasoning: 'reasoning',
  audio: 'audioInput',
  audio_output: 'audioOutput',
};

/** US dollars per million tokens; none, and told, where the list has no price, as for routers (-1). */
function pricesOf({ id, pricing }: Listed, report: SettingsReport): object {
  const { prompt, completion, request, image_token: image, web_search: search, ...others } = pricing ?? {};
  if (prompt == null || completion == null || prompt < 0 || completion < 0) {
    report.left(
      `model ${id} (price)`,
      'the list has none: give it prices, or usage is unpriced and keys with a budget are refused',
    );
    return {};
  }
  const said = Object.entries(others).filter(([, value]) => value != null && Number(value) !== 0);
  for (const [name] of said)
    if (tokenRates[name] === undefined)
      report.left(`pricing.${name}`, 'prices here are by the token, request and search: see prices of models');
  const terms = {
    ...(isPrice(search) && { units: { webSearch: perUnit(search) } }),
    ...(isPrice(image) && { kinds: { imageInput: perMillion(image) } }),
  };
  return {
    prices: {
      ...{ input: perMillion(prompt), output: perMillion(completion) },
      ...Object.fromEntries(
        said.flatMap(([name, value]) => {
          const ours = tokenRates[name];
          return ours !== undefined && isPrice(value) ? [[ours, perMillion(value)]] : [];
        }),
      ),
      ...(isPrice(request) && { perRequest: perUnit(request) }),
      ...(Object.keys(terms).length > 0 && { terms }),
    },
  };
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && value > 0;
}

function perUnit(usd: number): string {
  return usd.toFixed(6).replace(/\.?0+$/, '');
}
