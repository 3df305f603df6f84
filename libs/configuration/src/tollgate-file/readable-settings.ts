import { z } from 'zod';
import { describeIssue } from './describe-issue';
import { settingsChanges } from './settings-changes';
import { parseSettings, settingsSchema, type Settings } from './settings-document';
import { TollgateFileError } from './tollgate-file-error';
import { YamlSource } from './yaml-source';

/**
 * A part of a document of settings that this release does not understand, and why. `section` null: one that
 * is not known. A document that cannot be read at all is told by its guardrails, which weigh most. `id` null:
 * the section as a whole, or an entry that names none.
 */
export interface UnreadablePart {
  section: 'providers' | 'models' | 'plans' | 'guardrails' | 'newModels' | null;
  id: string | null;
  problem: string;
}

/**
 * What this release understands of a document that another may have taken, entry by entry: a field that it
 * does not know costs the entry that has it, and no other.
 */
export function readableSettings(text: string): { settings: Settings; unreadable: UnreadablePart[] } {
  try {
    return { settings: parseSettings(text), unreadable: [] };
  } catch (error) {
    problemOf(error);
  }
  try {
    const source = new YamlSource('settings', text);
    return new LenientReader(source, source.value()).read();
  } catch (error) {
    return {
      settings: parseSettings(''),
      unreadable: [{ section: 'guardrails', id: null, problem: problemOf(error) }],
    };
  }
}

/** Whether nothing is set by a document, were it something that this release cannot read. */
export function setsNothing(text: string): boolean {
  const { settings, unreadable } = readableSettings(text);
  return unreadable.length === 0 && settingsChanges(parseSettings(''), settings).length === 0;
}

/**
 * Whether nothing is set by a document that does not say so by `{}`: it may be what a program left that
 * failed, or a variable that is not set.
 */
export function isEmptyDocument(text: string): boolean {
  if (!setsNothing(text)) return false;
  const value = new YamlSource('settings', text).value();
  return typeof value !== 'object' || value === null || Object.keys(value).length > 0;
}

/** @throws what is no fault of a document. */
function problemOf(error: unknown): string {
  if (error instanceof TollgateFileError) return error.problems.join('\n');
  throw error;
}

const { providers, models, plans, guardrails, newModels } = settingsSchema.shape;
const plan = plans.unwrap().unwrap();
const entries = {
  providers: providers.unwrap().unwrap().element,
  models: models.unwrap().unwrap().element,
  guardrails: guardrails.unwrap().unwrap().element,
};

class LenientReader {
  private readonly unreadable: UnreadablePart[] = [];
  private readonly sections: Map<string, unknown>;

  constructor(
    private readonly source: YamlSource,
    value: unknown,
  ) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new TollgateFileError([`${source.locate([])}: must be a group of fields`]);
    this.sections = new Map(Object.entries(value));
  }

  read(): ReturnType<typeof readableSettings> {
    const settings: Settings = {
      providers: this.list('providers', entries.providers),
      models: this.list('models', entries.models),
      plans: this.plans(),
      guardrails: this.list('guardrails', entries.guardrails),
      newModels: this.newModels(),
      locate: (path) => this.source.locate(path),
    };
    for (const section of this.sections.keys())
      if (!['providers', 'models', 'plans', 'guardrails', 'newModels'].includes(section)) {
        const problem = `${this.source.locateName([section])}: is not a section that this release takes`;
        this.unreadable.push({ section: null, id: null, problem });
      }
    return { settings, unreadable: this.unreadable };
  }

  private list<Entry extends { id: string }>(section: keyof typeof entries, schema: z.ZodType<Entry>): Entry[] {
    const said = this.sections.get(section) ?? [];
    if (!Array.isArray(said)) {
      this.unreadable.push({ section, id: null, problem: `${this.source.locate([section])}: must be a list` });
      return [];
    }
    const read = new Map<string, Entry>();
    for (const [index, entry] of said.entries()) {
      const result = schema.safeParse(entry);
      if (result.success && !read.has(result.data.id)) read.set(result.data.id, result.data);
      else this.unreadable.push({ section, id: idOf(entry), problem: this.problem([section, index], result) });
    }
    return [...read.values()];
  }

  private plans(): Settings['plans'] {
    const said = this.sections.get('plans') ?? {};
    const whole = z.record(z.string(), z.unknown()).safeParse(said);
    if (!whole.success) this.unreadable.push({ section: 'plans', id: null, problem: this.problem(['plans'], whole) });
    const read: Settings['plans'] = {};
    for (const [name, entry] of Object.entries(whole.data ?? {})) {
      const result = plan.safeParse({ [name]: entry });
      if (result.success) Object.assign(read, result.data);
      else this.unreadable.push({ section: 'plans', id: name, problem: this.problem(['plans'], result) });
    }
    return read;
  }

  private newModels(): Settings['newModels'] {
    const result = newModels.safeParse(this.sections.get('newModels'));
    if (result.success) return result.data ?? null;
    this.unreadable.push({ section: 'newModels', id: null, problem: this.problem(['newModels'], result) });
    return null;
  }

  private problem(at: (string | number)[], { error }: z.ZodSafeParseResult<unknown>): string {
    const [issue] = error?.issues ?? [];
    return issue
      ? describeIssue({ ...issue, path: [...at, ...issue.path] }, settingsSchema, this.source)
      : `${this.source.locate(at)}: stands there twice`;
  }
}

function idOf(entry: unknown): string | null {
  return typeof entry === 'object' && entry !== null && 'id' in entry && typeof entry.id === 'string' ? entry.id : null;
}
