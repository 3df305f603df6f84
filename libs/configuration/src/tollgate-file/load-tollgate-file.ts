import type { Guardrail } from '@tollgate/contracts/catalog';
import type { ContentLogRules } from '@tollgate/contracts/metering';
import { readFileSync } from 'node:fs';
import type { FieldPath } from './field-path';
import type { ModelEntry } from './model-entry';
import type { PlanLimits } from './plan-limits';
import type { ProviderEntry } from './provider-entry';
import { TollgateFileError } from './tollgate-file-error';
import { readYaml, refuseRepeatedIds } from './read-yaml';
import { tollgateFileSchema } from './tollgate-file-schema';

/** What the operator's file says, section by section. An absent section is empty. */
export interface TollgateFile {
  providers: ProviderEntry[];
  models: ModelEntry[];
  plans: Record<string, PlanLimits>;
  /** In the order in which they are applied. */
  guardrails: Guardrail[];
  /** Null: nothing of requests and answers is logged. */
  contentLog: ContentLogRules | null;
  /** What becomes of models that a built-in provider ships; null: what is usual. */
  newModels: 'at-once' | 'on-approval' | 'never' | null;
  /**
   * `file:line:column: field` of a value, for problems that only its reader can see, such as a fallback that
   * does not exist.
   */
  locate(path: FieldPath): string;
}

/**
 * Reads tollgate.yaml, whose fields docs/tollgate.example.yaml explains. `path` undefined: there is no file,
 * every section is empty.
 * @throws TollgateFileError naming file, line, column and field of everything that is wrong.
 */
export function loadTollgateFile(path: string | undefined): TollgateFile {
  if (path === undefined)
    return {
      providers: [],
      models: [],
      plans: {},
      guardrails: [],
      contentLog: null,
      newModels: null,
      locate: () => 'no file',
    };
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TollgateFileError([`${path}: cannot be read (${reason}). TOLLGATE_CONFIG names this file.`]);
  }
  return parseTollgateFile(path, text);
}

/**
 * Reads the text of a tollgate.yaml; `path` is its name in messages.
 * @throws TollgateFileError naming file, line, column and field of everything that is wrong.
 */
export function parseTollgateFile(path: string, text: string): TollgateFile {
  const { value, locate } = readYaml(path, text, tollgateFileSchema);
  const file: TollgateFile = {
    providers: value.providers ?? [],
    models: value.models ?? [],
    plans: value.plans ?? {},
    guardrails: value.guardrails ?? [],
    contentLog: value.contentLog ?? null,
    newModels: value.newModels ?? null,
    locate,
  };
  refuseRepeatedIds({ providers: file.providers, models: file.models, guardrails: file.guardrails }, locate);
  return file;
}
