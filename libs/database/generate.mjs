// Writes src/generated, the database's client, from prisma/schema. What was made from the same schema stays
// as it is, to the file: linters, tests and programs may be reading it, and would find nothing for a moment.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const stampFile = fileURLToPath(new URL('src/generated/.made-from', import.meta.url));
const client = fileURLToPath(new URL('src/generated/client.ts', import.meta.url));

const schema = readdirSync(`${root}prisma/schema`).sort();
const sources = schema
  .map((name) => `prisma/schema/${name}`)
  .concat(['prisma.config.ts', 'package-lock.json', 'libs/database/generate.mjs']);
const digest = createHash('sha256');
for (const path of sources) digest.update(`${path}\n`).update(readFileSync(root + path));
const stamp = digest.digest('hex');

if (!existsSync(client) || !existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
  rmSync(stampFile, { force: true });
  const { status } = spawnSync(process.execPath, ['node_modules/prisma/build/index.js', 'generate', '--no-hints'], {
    cwd: root,
    stdio: 'inherit',
    // The engine is for authors of migrations: the name of any file keeps Prisma from fetching it.
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: 'package.json', CHECKPOINT_DISABLE: '1' },
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(stampFile, stamp);
}
