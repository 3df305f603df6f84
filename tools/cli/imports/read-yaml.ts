import { parse } from 'yaml';
import { z } from 'zod';
import { Refusal } from '../failure';
import { loadText } from '../prices/load-document';
import type { SettingsReport } from './settings-report';
import { sift, type GoesWith } from './sift';

/** A form of what is read: `what` it should be, and what goes with parts of it that cannot be read. */
export interface Form<Schema extends z.ZodType> {
  schema: Schema;
  what: string;
  goesWith?: GoesWith;
  /** What is read, as the schema has it. */
  prepare?: (said: unknown) => unknown;
}

/**
 * What a file of YAML or JSON says, or an http(s) address. What cannot be read in it is told in the report.
 * @throws Refusal where it is no YAML, or has nothing of that form
 */
export async function readYaml<Schema extends z.ZodType>(
  path: string,
  form: Form<Schema>,
  report: SettingsReport,
): Promise<z.output<Schema>> {
  const text = await loadText(path);
  return as(form, () => parse(text) ?? {}, path, report);
}

/** What was read of `path`, in its form. @throws Refusal */
export function as<Schema extends z.ZodType>(
  { schema, what, goesWith, prepare = (said) => said }: Form<Schema>,
  read: () => unknown,
  path: string,
  report: SettingsReport,
): z.output<Schema> {
  try {
    return sift(schema, prepare(read()), report, goesWith);
  } catch (error) {
    if (!(error instanceof z.ZodError) && !(error instanceof Error && error.name.startsWith('YAML'))) throw error;
    throw new Refusal(`${path} is no ${what}: ${error instanceof z.ZodError ? z.prettifyError(error) : error.message}`);
  }
}
