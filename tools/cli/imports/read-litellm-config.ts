import { dirname, join } from 'node:path';
import { z } from 'zod';
import { litellmConfig, type LitellmConfig } from './litellm-config';
import { as, readYaml } from './read-yaml';
import type { SettingsReport } from './settings-report';

const what = 'config.yaml of LiteLLM';
const list = z.array(z.unknown());
const includes = { schema: z.looseObject({ include: z.array(z.string()).nullish() }), what };

/**
 * A config.yaml with the files that it includes: their lists are put behind its own, their other settings in
 * the place of its own, as LiteLLM does.
 * https://docs.litellm.ai/docs/proxy/config_management
 * @throws Refusal
 */
export async function readLitellmConfig(path: string, report: SettingsReport): Promise<LitellmConfig> {
  const { include, ...whole }: Record<string, unknown> = await readYaml(path, includes, report);
  const files = new Set(includes.schema.shape.include.parse(include) ?? []);
  // Those that one of them includes come behind all others, by their paths from the first file.
  for (const file of files) {
    const { include: more, ...part } = await readYaml(besides(path, file), includes, report);
    for (const one of more ?? []) files.add(one);
    for (const [name, said] of Object.entries(part)) {
      const [before, items] = [list.safeParse(whole[name]), list.safeParse(said)];
      whole[name] = before.success && items.success ? [...before.data, ...items.data] : said;
    }
    report.carried('include', 'read as a part of the file');
  }
  return as({ schema: litellmConfig, what }, () => whole, path, report);
}

/** A path that is not absolute begins where the file is that names it. */
function besides(path: string, file: string): string {
  return URL.canParse(path) ? new URL(file, path).href : file.startsWith('/') ? file : join(dirname(path), file);
}
