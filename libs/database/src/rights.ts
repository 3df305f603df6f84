import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { ownedModels } from './owners';
import type { Owner } from './owners';

/** What metering calls to make and to drop partitions; they run as the owner of the tables. */
const partitioning = [
  'add_month(TEXT, TEXT, DATE)',
  'drop_months(TEXT, DATE)',
  'add_stored_turn_day(DATE)',
  'drop_stored_turn_days(DATE)',
  'add_conversation_item_day(DATE)',
  'drop_conversation_item_days(DATE)',
];

/**
 * What metering calls to add up days that have ended; the other side of its lock is a trigger. The last is
 * what older releases call.
 */
const blocks = [
  'start_usage_block(TEXT, TEXT, INTEGER, TIMESTAMPTZ)',
  'finish_usage_block(BIGINT)',
  'extend_usage_block(BIGINT)',
  'make_usage_block(TEXT, TEXT, INTEGER, TIMESTAMPTZ)',
];

/** What accounts calls when a key comes under budgets, or leaves them; it runs as the owner of the tables. */
const movingSums = 'move_budget_sums(TEXT, UUID[], UUID[])';

const owners: readonly Owner[] = ['accounts', 'catalog', 'metering'];

/** A sequence that counts the rows of a table. */
interface Counted {
  table: string;
  sequence: string;
}

/** What a service calls whose rights were taken away behind it; it runs as the owner of the tables. */
const givingAgain = 'give_rights()';

/**
 * Lets the role of each service (`tollgate_accounts` and so on: deploy/postgres/roles.sql) use its own
 * tables and read what it may of others', and nothing else. Does nothing where there are no such roles: one
 * user has everything then. `newest`: the name of the last migration that this release knows; one that is
 * older than the tables gives what it needs, and takes nothing from the newer ones that run beside it.
 * The session is the owner's of the tables.
 */
export async function giveRights(session: Client, newest: string): Promise<void> {
  const { rows: roles } = await session.query<{ rolname: string }>('SELECT rolname FROM pg_roles');
  const present = owners.filter((owner) => roles.some(({ rolname }) => rolname === roleOf(owner)));
  const { rows: counted } = await session.query<Counted>(
    `SELECT counted.relname AS "table", sequence.relname AS "sequence" FROM pg_class AS sequence
     JOIN pg_depend ON objid = sequence.oid AND deptype = 'a' JOIN pg_class AS counted ON counted.oid = refobjid
     WHERE sequence.relkind = 'S'`,
  );
  if (present.length === 0) return;
  const newer = await session.query(
    `SELECT FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL
     AND migration_name > $1 COLLATE "C" LIMIT 1`,
    [newest],
  );
  const given = present.flatMap((owner) => rightsOf(owner, counted));
  // All rights are taken away first: what a release no longer gives is gone with it.
  const statements =
    newer.rows.length > 0 ? given : [...present.flatMap(taken), ...given, ...makesAgain(present, given)];
  await session.query(['BEGIN', ...statements, 'COMMIT'].join(';\n'));
}

const heldFor = new Set<string>();
/** A right that nobody gives is asked for so often, milliseconds. */
const askAgainMs = 1_000;

/**
 * Has a service's rights given again that Postgres refused it: `tollgate migrate` of a release of before
 * (2026-11-29) takes those away that it does not know. What was refused fails all the same, and works when
 * it is tried again. `url`: how the service reaches its database. Never rejects.
 */
export async function regainRights(url: string): Promise<void> {
  if (heldFor.has(url)) return;
  heldFor.add(url);
  setTimeout(() => heldFor.delete(url), askAgainMs).unref();
  const session = new Client({ connectionString: url, connectionTimeoutMillis: 3_000, query_timeout: 10_000 });
  session.on('error', () => undefined);
  try {
    await session.connect();
    await session.query(`SELECT ${givingAgain}`);
  } catch {
    // It is no role of roles.sql, or the tables are of a release that had no such function: as it was.
  } finally {
    await session.end().catch(() => undefined);
  }
}

/** The function by which the roles get what this release gives, and nothing more. */
function makesAgain(present: readonly Owner[], given: readonly string[]): string[] {
  const body = `BEGIN ${given.join('; ')}; END`;
  return [
    `CREATE OR REPLACE FUNCTION ${givingAgain} RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
     SET search_path = public, pg_temp AS ${escapeLiteral(body)}`,
    `REVOKE ALL ON FUNCTION ${givingAgain} FROM PUBLIC`,
    `GRANT EXECUTE ON FUNCTION ${givingAgain} TO ${present.map(roleOf).join(', ')}`,
  ];
}

function taken(owner: Owner): string[] {
  const role = roleOf(owner);
  return [
    `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${role}`,
    `REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM ${role}`,
  ];
}

function rightsOf(owner: Owner, counted: readonly Counted[]): string[] {
  const role = roleOf(owner);
  const writes = ownedModels[owner].writes.map(tableOf);
  const sequences = counted.filter(({ table }) => writes.includes(table)).map(({ sequence }) => sequence);
  return [
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ${list(writes)} TO ${role}`,
    // The first tells a service whether the migrations are there.
    `GRANT SELECT ON ${list(['_prisma_migrations', ...ownedModels[owner].reads.map(tableOf)])} TO ${role}`,
    ...sequences.map((sequence) => `GRANT USAGE ON SEQUENCE ${escapeIdentifier(sequence)} TO ${role}`),
    ...(owner === 'accounts' ? [`GRANT EXECUTE ON FUNCTION ${movingSums} TO ${role}`] : []),
    ...(owner === 'metering'
      ? [`GRANT EXECUTE ON FUNCTION ${[...partitioning, ...blocks].join(', ')} TO ${role}`]
      : []),
  ];
}

function roleOf(owner: Owner): string {
  return `tollgate_${owner}`;
}

/** `apiKey` is kept in the table `api_key`. */
function tableOf(model: string): string {
  return model.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const list = (tables: readonly string[]): string => tables.map(escapeIdentifier).join(', ');
