import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';
import { hazards, statements } from './long-locks';

const folder = join(workspaceRoot, 'prisma', 'migrations');
const names = readdirSync(folder).filter((name) => /^\d/.test(name));
const read = (name: string): string => readFileSync(join(folder, name, 'migration.sql'), 'utf8');

/**
 * Migrations of before the first release, with how many of their statements would be refused now. Nobody has
 * large tables that they still have to come over.
 */
const reviewed: Record<string, number> = {
  '20261121080000_series': 8,
  '20261124003000_conversations': 1,
};

it.each(names)('%s keeps nobody from a large table for long, and takes nothing from the release before', (name) => {
  const found = hazards(read(name));
  if (name in reviewed) expect(found).toHaveLength(reviewed[name] ?? 0);
  else expect(found).toEqual([]);
});

it('knows of reviewed migrations by their names', () => {
  expect(names).toEqual(expect.arrayContaining(Object.keys(reviewed)));
});

it.each(names)('%s builds an index beside those who write, if any, by itself: not within a transaction', (name) => {
  const all = statements(read(name));
  if (all.some((statement) => /\bCONCURRENTLY\b/.test(statement))) expect(all).toHaveLength(1);
});

it.each([
  'CREATE INDEX i ON usage_event (key_id)',
  'CREATE UNIQUE INDEX i ON "usage_event" USING BRIN (at)',
  'ALTER TABLE usage_event ALTER COLUMN model SET NOT NULL',
  'ALTER TABLE usage_event ALTER COLUMN model TYPE BIGINT',
  'ALTER TABLE usage_event ADD COLUMN a UUID DEFAULT gen_random_uuid()',
  'ALTER TABLE usage_event ADD COLUMN a INTEGER NOT NULL',
  'ALTER TABLE usage_event ADD COLUMN a BIGSERIAL',
  "ALTER TABLE usage_event ADD COLUMN a TEXT GENERATED ALWAYS AS (model || 'x') STORED",
  'ALTER TABLE usage_event ADD CONSTRAINT c CHECK (tokens > 0)',
  'ALTER TABLE usage_event ADD CONSTRAINT c FOREIGN KEY (key_id) REFERENCES api_key(id)',
  'ALTER TABLE usage_event ADD CONSTRAINT c UNIQUE (request_id)',
  'ALTER TABLE usage_event ADD PRIMARY KEY (id)',
  'UPDATE usage_event SET model = lower(model)',
  'INSERT INTO new_table SELECT * FROM usage_event',
  'ALTER TABLE usage_event DROP COLUMN model',
  'ALTER TABLE usage_event RENAME COLUMN model TO name',
  'DROP TABLE usage_event',
])('refuses %s', (statement) => {
  expect(hazards(`-- why\n${statement};`)).toMatchObject([
    { statement: expect.stringContaining(statement.slice(0, 20)) },
  ]);
});

it.each([
  'CREATE INDEX CONCURRENTLY i ON usage_event (key_id)',
  'ALTER TABLE usage_event ADD COLUMN a BIGINT',
  'ALTER TABLE usage_event ADD COLUMN a BOOLEAN NOT NULL DEFAULT false',
  "ALTER TABLE usage_event ADD COLUMN a JSONB NOT NULL DEFAULT '{}'",
  'ALTER TABLE usage_event ADD COLUMN a TIMESTAMPTZ NOT NULL DEFAULT now()',
  'ALTER TABLE usage_event ADD CONSTRAINT c CHECK (tokens > 0) NOT VALID',
  'ALTER TABLE usage_event ADD CONSTRAINT c UNIQUE USING INDEX i',
  'ALTER TABLE usage_event VALIDATE CONSTRAINT c',
  'CREATE TABLE fresh (a INTEGER); CREATE INDEX i ON fresh (a); ALTER TABLE fresh ADD PRIMARY KEY (a)',
  "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ UPDATE usage_event SET model = ''; DELETE FROM usage_event $$",
])('lets %s pass', (sql) => {
  expect(hazards(sql)).toEqual([]);
});
