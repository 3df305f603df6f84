import { parseTollgateFile, TollgateFileError } from '@tollgate/configuration';
import { readFile, writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { Refusal } from '../failure';

/** A provider as tollgate.yaml writes it. */
export type WrittenProvider = { id: string } & Record<string, unknown>;
/** A model as tollgate.yaml writes it. */
export type WrittenModel = { id: string } & Record<string, unknown>;

/** What an import writes: sections of tollgate.yaml. An empty one is left out. */
export interface WrittenSections {
  providers: WrittenProvider[];
  models: WrittenModel[];
  plans: Record<string, object>;
}

/**
 * The id of a model of this name, or a pattern of such ids: the name itself, but for letters that no id has.
 */
export function modelId(name: string): string {
  return name.replaceAll(/[^\w.:@/*-]+/g, '-').replaceAll(/^[/-]+|\/(?=\/|$)/g, '');
}

/** The environment variable of inference that holds the key of a provider whose key stood in a file. */
export function keyVariable(providerId: string): string {
  return `${providerId.toUpperCase().replaceAll('-', '_')}_API_KEY`;
}

/**
 * The text of a tollgate.yaml with these sections.
 * @throws Refusal naming what the gateway would not take.
 */
export function tollgateYaml({ providers, models, plans }: WrittenSections, source: string): string {
  const sections = {
    ...(providers.length > 0 && { providers }),
    ...(models.length > 0 && { models }),
    ...(Object.keys(plans).length > 0 && { plans }),
  };
  const head = `# From ${source}. Keys of providers are not here: apiKeyEnv names the variables that hold them.\n`;
  const text = `${head}${stringify(sections, { aliasDuplicateObjects: false })}`;
  try {
    parseTollgateFile('tollgate.yaml', text);
  } catch (error) {
    if (!(error instanceof TollgateFileError)) throw error;
    throw new Refusal(`What ${source} says makes no good tollgate.yaml:\n${error.message}`);
  }
  return text;
}

/**
 * Writes the file where it is not there.
 * @throws Refusal when another one is there: it is somebody's work.
 */
export async function writeOnce(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    const there = await readFile(path, 'utf8').catch(() => null);
    if (there === text) return;
    const reason = there === null ? String(error) : 'it is there already, with another content';
    throw new Refusal(`${path} is not written: ${reason}. --write <file> names another.`);
  }
}
