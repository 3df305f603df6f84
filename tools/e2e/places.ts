import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Client } from 'pg';
import type { Stack } from '../stack/stack';

/** Where a secret might lie, and all that lies there. */
export interface Place {
  name: string;
  content: string;
}

/** Files of the data folder that hold secrets by design, each readable by its owner only. */
const secretFiles = /^(key-pepper|key-encryption-key|bootstrap-secret|nats-passwords\/\w+|nats\/nats-server\.conf)$/;

/**
 * Every file of the data folder: logs, Postgres's tables and write-ahead log, JetStream's store. Bytes become
 * characters one to one.
 */
export function filesOf({ dataFolder }: Stack): Place[] {
  return readdirSync(dataFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dataFolder, join(entry.parentPath, entry.name)))
    .filter((name) => !secretFiles.test(name))
    .flatMap((name) => {
      const content = contentOf(join(dataFolder, name));
      return content === null ? [] : [{ name, content }];
    });
}

/** Null: the file is gone, as servers replace theirs while they run. */
function contentOf(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    // Not `instanceof Error`: Jest runs tests in a realm of their own.
    if (typeof error === 'object' && error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Every row of every table, as text. */
export async function tablesOf({ databaseUrl }: Stack): Promise<Place[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    const places: Place[] = [];
    for (const { name } of rows) {
      const dump = await client.query<{ line: string }>(`SELECT row_to_json(t)::text AS line FROM ${name} t`);
      places.push({ name: `table ${name}`, content: dump.rows.map(({ line }) => line).join('\n') });
    }
    return places;
  } finally {
    await client.end();
  }
}

/** The metrics of every service. */
export async function metricsOf({ processes }: Stack): Promise<Place[]> {
  const services = [...processes.values()].flatMap(({ name, internalUrls }) =>
    internalUrls.map((internalUrl) => ({ name, internalUrl })),
  );
  return Promise.all(
    services.map(async ({ name, internalUrl }) => ({
      name: `metrics of ${name}`,
      content: await (await fetch(`${internalUrl}/metrics`)).text(),
    })),
  );
}

/** `what` lies in `place`, in clear, encoded for an address, or in Base64: one line for each. */
export function hits(places: readonly Place[], secrets: Readonly<Record<string, string>>): string[] {
  return places.flatMap(({ name, content }) =>
    Object.entries(secrets).flatMap(([what, secret]) =>
      [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').slice(0, -4)].some((form) =>
        content.includes(form),
      )
        ? [`${what} in ${name}`]
        : [],
    ),
  );
}
