import type { ContentLogRules, Guardrail } from '@tollgate/contracts';
import { readFileSync } from 'node:fs';
import { describeIssue } from './describe-issue';
import type { FieldPath } from './field-path';
import type { ModelEntry } from './model-entry';
import type { PlanLimits } from './plan-limits';
import type { ProviderEntry } from './provider-entry';
import { TollgateFileError } from './tollgate-file-error';
import { tollgateFileSchema } from './tollgate-file-schema';
import { YamlSource } from './yaml-source';

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
  const source = new YamlSource(path, text);
  const result = tollgateFileSchema.safeParse(source.value() ?? {});
  if (!result.success)
    throw new TollgateFileError(
      result.error.issues.flatMap((issue) => describeIssue(issue, tollgateFileSchema, source)),
    );
  const file: TollgateFile = {
    providers: result.data.providers ?? [],
    models: result.data.models ?? [],
    plans: result.data.plans ?? {},
    guardrails: result.data.guardrails ?? [],
    contentLog: result.data.contentLog ?? null,
    newModels: result.data.newModels ?? null,
    locate: (field) => source.locate(field),
  };
  const problems = (['providers', 'models', 'guardrails'] as const).flatMap((section) => repeatedIds(section, file));
  if (problems.length) throw new TollgateFileError(problems);
  return file;
}

function repeatedIds(section: 'providers' | 'models' | 'guardrails', file: TollgateFile): string[] {
  const firstIndex = new Map<string, number>();
  return file[section].flatMap(({ id }, index) => {
    const first = firstIndex.get(id);
    if (first !== undefined)
      return [`${file.locate([section, index, 'id'])}: ${id} stands in ${section}[${first}] too`];
    firstIndex.set(id, index);
    return [];
  });
}
