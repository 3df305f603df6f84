// Writes src/generated/<owner>, the database's client of each owner: of its own tables, and of what it reads
// of another's through Prisma. A client holds a graph of all that its schema allows, some megabytes where it
// is every table, so none has what its service never asks. What was made from the same schema stays as it is,
// to the file: linters, tests and programs may be reading it, and would find nothing for a moment.
// Uses Node's own modules and ours beside it only, and may be imported: it is done then.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withSmallIndexes } from './parameter-graph.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const generated = fileURLToPath(new URL('src/generated/', import.meta.url));
/** Where all is made, before any of it is put in its place. */
const fresh = fileURLToPath(new URL('src/generated/.new/', import.meta.url));
const stampFile = `${generated}.made-from`;

/** The models of another owner that an owner reads through its client; it reads others by SQL alone. */
const alsoReads = { accounts: [], catalog: [], metering: ['Price', 'CatalogRevision'] };
const owners = Object.keys(alsoReads);

const schema = readdirSync(`${root}prisma/schema`).sort();
const sources = schema
  .map((name) => `prisma/schema/${name}`)
  .concat(['prisma.config.ts', 'package-lock.json', 'libs/database/generate.mjs', 'libs/database/parameter-graph.mjs']);
const digest = createHash('sha256');
for (const path of sources) digest.update(`${path}\n`).update(readFileSync(root + path));
const stamp = digest.digest('hex');

const isThere = owners.every((owner) => existsSync(`${generated}${owner}/client.ts`));
if (!isThere || !existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
  console.log('Generating the clients of the database…');
  rmSync(fresh, { recursive: true, force: true });
  for (const owner of owners) generate(owner);
  writeFileSync(`${fresh}.made-from`, stamp);
  for (const name of readdirSync(generated).filter((name) => name !== '.new'))
    rmSync(generated + name, { recursive: true });
  for (const name of readdirSync(fresh)) renameSync(fresh + name, generated + name);
  rmSync(fresh, { recursive: true });
}

function generate(owner) {
  mkdirSync(fresh, { recursive: true });
  const schemaFile = `${fresh}${owner}.prisma`;
  writeFileSync(schemaFile, schemaOf(owner));
  const command = ['node_modules/prisma/build/index.js', 'generate', '--no-hints', '--schema', schemaFile];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: root,
    encoding: 'utf8',
    // The engine is for authors of migrations: the name of any file keeps Prisma from fetching it.
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: 'package.json', CHECKPOINT_DISABLE: '1' },
  });
  if (status !== 0) throw new Error(`The client of ${owner} could not be generated:\n${stdout}${stderr}`);
  const file = `${fresh}${owner}/internal/class.ts`;
  writeFileSync(file, withSmallIndexes(readFileSync(file, 'utf8')));
}

function schemaOf(owner) {
  const read = alsoReads[owner].map((model) => {
    const [block] = schema.flatMap((name) => textOf(name).match(new RegExp(`^model ${model} \\{[^]*?^\\}`, 'm')) ?? []);
    if (!block) throw new Error(`No schema has the model ${model}, which ${owner} reads.`);
    return block;
  });
  const base = textOf('base.prisma').replace(/output( +)= .*/, `output$1= "${owner}"`);
  return [base, textOf(`${owner}.prisma`), ...read].join('\n');
}

function textOf(name) {
  return readFileSync(`${root}prisma/schema/${name}`, 'utf8');
}
