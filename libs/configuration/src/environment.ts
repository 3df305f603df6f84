import { readFileSync } from 'node:fs';
import type { z } from 'zod';

/** Variables that mean something only together. */
const variablesTogether: readonly { readonly group: readonly string[]; readonly message: string }[] = [
  { group: ['EDGE_TLS_CERT', 'EDGE_TLS_KEY'], message: 'set both, or neither for plain HTTP' },
  { group: ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'], message: 'set all three, or none' },
  {
    group: ['TOLLGATE_INIT_ADMIN_EMAIL', 'TOLLGATE_INIT_ADMIN_PASSWORD'],
    message: 'set both, or neither to make the first administrator by hand',
  },
  { group: ['SMTP_URL', 'SMTP_FROM'], message: 'set both, or neither to keep mails here' },
];

/** The environment says something a service cannot start with. The message names every variable at fault. */
export class EnvironmentError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(
      `The environment is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}\nSee .env.example.`,
    );
    this.name = 'EnvironmentError';
  }
}

/**
 * Reads a service's settings from environment variables. An empty variable counts as absent. For every name
 * `X`, `X_FILE` may name a file that holds the value (the way container secrets are mounted).
 * @throws EnvironmentError naming every file that cannot be read, and every variable that is missing or
 * wrong.
 */
export function readEnvironment<Schema extends z.ZodObject>(
  schema: Schema,
  environment: NodeJS.ProcessEnv = process.env,
): z.infer<Schema> {
  const values: Record<string, string> = {};
  const unreadable = new Map<string, string>();
  for (const name of Object.keys(schema.shape)) {
    const file = environment[`${name}_FILE`];
    try {
      const value = file ? readFileSync(file, 'utf8').trim() : environment[name];
      if (value) values[name] = value;
    } catch (error) {
      unreadable.set(name, `${name}_FILE: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const result = schema.safeParse(values);
  const issues = (result.error?.issues ?? []).map(({ path, message }) => ({ name: path.join('.'), message }));
  const wrong = issues.flatMap(({ name, message }) => (unreadable.has(name) ? [] : [`${name}: ${message}`]));
  const problems = [...unreadable.values(), ...wrong, ...halfSet(Object.keys(schema.shape), values)];
  if (problems.length > 0 || !result.success) throw new EnvironmentError(problems);
  return result.data;
}

/** Groups of variables of which only a part is set. */
function halfSet(names: readonly string[], values: Readonly<Record<string, string>>): string[] {
  return variablesTogether
    .filter(({ group }) => group.every((name) => names.includes(name)))
    .filter(({ group }) => new Set(group.map((name) => name in values)).size > 1)
    .map(({ group, message }) => `${group.join(', ')}: ${message}`);
}
