import { z } from 'zod';
import type { SettingsReport } from './settings-report';
import { modelId, type WrittenModel } from './written-file';

const names = z.array(z.string());
/** A fallback, or what an alias stands for, may be a request of its own, of which only the model is taken. */
const oneModel = z.union([z.string(), z.looseObject({ model: z.string() }).transform((one) => one.model)]);
const someModels = z.union([z.array(oneModel), oneModel.transform((one) => [one])]);
const mapping = z.record(z.string(), z.unknown());
/** `[{ model: [fallbacks] }]`, or `{ alias: model }`. */
const mappings = z.union([z.array(mapping), mapping.transform((one) => [one])]);
const milliseconds = z.record(z.string(), z.number());

/** What is waited for where a deployment says nothing else. https://docs.litellm.ai/docs/proxy/timeout */
const usualTimeouts = { timeout: 'totalMs', request_timeout: 'totalMs', stream_timeout: 'firstByteMs' } as const;

/** The settings that are read here, by their paths. */
export const routingSettings: ReadonlySet<string> = new Set(
  ['router_settings', 'litellm_settings'].flatMap((section) =>
    ['model_group_alias', 'fallbacks', 'default_fallbacks', ...Object.keys(usualTimeouts)].map(
      (field) => `${section}.${field}`,
    ),
  ),
);

type Sections = readonly (readonly [name: string, said: Readonly<Record<string, unknown>>])[];

/** Puts aliases, timeouts and fallbacks of both sections into the models that they are of. */
export function addRouting(
  models: readonly WrittenModel[],
  router: Readonly<Record<string, unknown>>,
  litellm: Readonly<Record<string, unknown>>,
  report: SettingsReport,
): void {
  const byId = new Map(models.map((model) => [model.id, model]));
  const sections: Sections = [
    ['router_settings', router],
    ['litellm_settings', litellm],
  ];
  for (const [where, said] of sections) {
    addAliases(byId, where, said, report);
    addTimeouts(models, where, said, report);
  }
  addFallbacks(byId, sections, report);
}

/** What stands first counts: that of a deployment, then of the router, then of LiteLLM. */
function addTimeouts(
  models: readonly WrittenModel[],
  where: string,
  said: Readonly<Record<string, unknown>>,
  report: SettingsReport,
): void {
  for (const [setting, kind] of Object.entries(usualTimeouts)) {
    if (said[setting] === undefined || said[setting] === null) continue;
    const seconds = z.coerce.number().positive().safeParse(said[setting]);
    const silent = models.filter(({ timeouts }) => milliseconds.parse(timeouts ?? {})[kind] === undefined);
    if (!seconds.success) report.left(`${where}.${setting}`, `write ${kind} into timeouts of each model`);
    else if (silent.length === 0) report.changed(`${where}.${setting}`, 'every model says it itself');
    else report.carried(`${where}.${setting}`, `timeouts of every model that says none itself (${kind})`);
    if (seconds.success)
      for (const model of silent)
        model.timeouts = { ...milliseconds.parse(model.timeouts ?? {}), [kind]: Math.ceil(seconds.data * 1_000) };
  }
}

function addAliases(
  byId: ReadonlyMap<string, WrittenModel>,
  where: string,
  said: Readonly<Record<string, unknown>>,
  report: SettingsReport,
): void {
  const setting = `${where}.model_group_alias`;
  for (const [name, wish] of entriesOf(said.model_group_alias, setting, 'aliases of each model', report)) {
    const target = oneModel.safeParse(wish).data;
    if (target === undefined) {
      report.left(setting, `${name}: an alias stands for one model: write it into aliases of that`);
      continue;
    }
    const [alias, model] = [modelId(name), byId.get(modelId(target))];
    if (!model || byId.has(alias)) {
      report.left(setting, `${name}: there is no model ${target}, or one of that name`);
      continue;
    }
    model.aliases = [...names.catch([]).parse(model.aliases), alias];
    report.carried(setting, 'aliases of the model');
  }
}

/** What stands in a mapping, or in a list of such; what is neither is told, with what to write by hand. */
function entriesOf(said: unknown, setting: string, what: string, report: SettingsReport): [string, unknown][] {
  const read = mappings.safeParse(said ?? []);
  if (!read.success) report.left(setting, `it cannot be read: write ${what}`);
  return (read.data ?? []).flatMap((one) => Object.entries(one));
}

/** What the sections want, by model. Usual fallbacks are those of a model that has none of its own. */
function wantedFallbacks(
  byId: ReadonlyMap<string, WrittenModel>,
  sections: Sections,
  report: SettingsReport,
): Map<string, string[]> {
  const wanted = new Map<string, string[]>();
  for (const [where, said] of sections)
    for (const [name, wish] of entriesOf(said.fallbacks, `${where}.fallbacks`, 'fallbacks of each model', report)) {
      const [id, fallbacks] = [modelId(name), someModels.safeParse(wish).data];
      if (fallbacks === undefined) report.left(`${where}.fallbacks`, `${name}: write them into fallbacks of the model`);
      else if (byId.has(id)) wanted.set(id, [...(wanted.get(id) ?? []), ...fallbacks.map(modelId)]);
      else report.left(`${where}.fallbacks`, `${name}: there is no such model`);
    }
  for (const [where, said] of sections) {
    const setting = `${where}.default_fallbacks`;
    const read = someModels.safeParse(said.default_fallbacks ?? []);
    if (!read.success) report.left(setting, 'it cannot be read: write fallbacks of each model');
    const usual = (read.data ?? []).map(modelId);
    if (usual.length === 0) continue;
    for (const id of byId.keys()) if (!wanted.has(id)) wanted.set(id, usual);
    report.changed(setting, 'fallbacks of each model that has none of its own');
  }
  return wanted;
}

function addFallbacks(byId: ReadonlyMap<string, WrittenModel>, sections: Sections, report: SettingsReport): void {
  const kindOf = (id: string): unknown => byId.get(id)?.kind ?? 'generation';
  const isFit = (id: string, fallback: string): boolean => byId.has(fallback) && kindOf(fallback) === kindOf(id);
  const { fallbacks, left } = withoutCircles(wantedFallbacks(byId, sections, report), isFit);
  for (const [id, kept] of fallbacks) {
    const model = byId.get(id);
    if (!model) continue;
    model.fallbacks = kept;
    report.carried('fallbacks', 'fallbacks of the model, in the same order');
  }
  for (const [id, fallback] of left)
    report.changed('fallbacks', `${id} to ${fallback} is left out: a circle, or no model of its kind`);
}

/**
 * The fallbacks that stay when those are left out that would run in a circle (a model falls back to another
 * that falls back to it) or that `isFit` refuses.
 * What stands first stays.
 */
function withoutCircles(
  wanted: ReadonlyMap<string, readonly string[]>,
  isFit: (id: string, fallback: string) => boolean,
): { fallbacks: Map<string, string[]>; left: [id: string, fallback: string][] } {
  const fallbacks = new Map<string, string[]>();
  const left: [string, string][] = [];
  const leads = (from: string, to: string): boolean =>
    from === to || (fallbacks.get(from) ?? []).some((next) => leads(next, to));
  for (const [id, all] of wanted)
    for (const fallback of new Set(all)) {
      if (fallback !== id && isFit(id, fallback) && !leads(fallback, id))
        fallbacks.set(id, [...(fallbacks.get(id) ?? []), fallback]);
      else if (fallback !== id) left.push([id, fallback]);
    }
  return { fallbacks, left };
}
