import { parse } from 'yaml';
import { z } from 'zod';
import { Refusal } from '../failure';
import { loadText } from '../prices/load-document';

/**
 * What a file of YAML or JSON says, or an http(s) address. `what` it should be is told where it is not.
 * @throws Refusal
 */
export async function readYaml<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  what: string,
): Promise<z.output<Schema>> {
  const text = await loadText(path);
  return as(schema, () => parse(text) ?? {}, path, what);
}

/** What was read of `path`, in the form that `what` has. @throws Refusal */
export function as<Schema extends z.ZodType>(
  schema: Schema,
  read: () => unknown,
  path: string,
  what: string,
): z.output<Schema> {
  try {
    return schema.parse(read());
  } catch (error) {
    if (!(error instanceof z.ZodError) && !(error instanceof Error && error.name.startsWith('YAML'))) throw error;
    throw new Refusal(`${path} is no ${what}: ${error instanceof z.ZodError ? z.prettifyError(error) : error.message}`);
  }
}
