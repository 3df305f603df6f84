import { readFileSync } from 'node:fs';
import type { z } from 'zod';

/** The environment says something a service cannot start with. The message names every variable at fault. */
export class EnvironmentError extends Error {
  constructor(problems: string[]) {
    super(
      `The environment is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}\nSee .env.example.`,
    );
    this.name = 'EnvironmentError';
  }
}

/**
 * Reads a service's settings from environment variables. An empty variable counts as absent. For every name `X`, `X_FILE` may name a file
 * that holds the value (the way container secrets are mounted).
 * @throws EnvironmentError naming every file that cannot be read, or every variable that is missing or wrong.
 */
export function readEnvironment<Schema extends z.ZodObject>(
  schema: Schema,
  environment: NodeJS.ProcessEnv = process.env,
): z.infer<Schema> {
  const values: Record<string, string> = {};
  const unreadable: string[] = [];
  for (const name of Object.keys(schema.shape)) {
    const file = environment[`${name}_FILE`];
    try {
      const value = file ? readFileSync(file, 'utf8').trim() : environment[name];
      if (value) values[name] = value;
    } catch (error) {
      unreadable.push(`${name}_FILE: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (unreadable.length > 0) throw new EnvironmentError(unreadable);
  const result = schema.safeParse(values);
  if (!result.success)
    throw new EnvironmentError(result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  return result.data;
}
