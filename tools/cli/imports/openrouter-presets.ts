import { z } from 'zod';
import type { SettingsReport, Said } from './settings-report';
import { modelId, type WrittenModel } from './written-file';

const config = z.looseObject({ model: z.string().nullish(), models: z.array(z.string()).nullish() });

/**
 * What OpenRouter's API answers of a preset.
 * https://openrouter.ai/docs/api/api-reference/presets/create-a-preset-from-a-chat-completions-request-body
 */
export const openrouterPreset = z.looseObject({
  data: z.looseObject({ slug: z.string().min(1), designated_version: z.looseObject({ config }) }),
});
type Preset = z.output<typeof openrouterPreset>['data'];

const inRequests: Said = ['not carried', 'callers say it in their requests'];
const settings: Readonly<Record<string, Said>> = {
  model: ['carried', 'the model of that name, as @preset/<slug>'],
  models: ['carried', 'fallbacks of the model'],
  provider: [
    'not carried',
    'where OpenRouter is asked, callers send it: fields that are not ours reach it as they are',
  ],
};

/**
 * Makes a model of a preset, by which callers ask for it (`@preset/slug`): its first model, with the others
 * as fallbacks. `models` are those that the file has, of which it is one.
 */
export function fromOpenrouterPreset(
  { slug, designated_version: { config: said } }: Preset,
  models: readonly WrittenModel[],
  report: SettingsReport,
): WrittenModel[] {
  const [first, ...others] = [...(said.model ? [said.model] : []), ...(said.models ?? [])];
  const base = models.find(({ id }) => id === first);
  if (!base) {
    report.left(`preset ${slug}`, `its model ${first ?? ''} is not in the list of --models: callers ask for another`);
    return [];
  }
  for (const [field, value] of Object.entries(said))
    if (value != null) report.tellAll('preset', [field], { ...settings, [field]: settings[field] ?? inRequests });
  const fallbacks = [...new Set(others)].filter((id) => id !== base.id && models.some((one) => one.id === id));
  const { fallbacks: _, aliases: _a, ...same } = base;
  return [{ ...same, id: modelId(`@preset/${slug}`), ...(fallbacks.length > 0 && { fallbacks }) }];
}
