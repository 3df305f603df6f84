import type { Logger } from '@tollgate/observability';
import type { PostgresServer } from '@tollgate/testing';
import { Client } from 'pg';
import { EventMonths } from '../event-months';
import { copyOf, startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { EndedHours } from './ended-hours';
import { UsageBlocks } from './usage-blocks';

const dayMs = 86_400_000;
/** A block of 64 days, which ended long ago. */
export const startAt = 312 * 64 * dayMs;
export const endAt = startAt + 64 * dayMs;

/** When blocks are made, and which: by default a week after the 64 days, of all that was used, at once. */
interface Making {
  now?: () => number;
  few?: number;
  retentionMonths?: number | null;
  restMs?: number;
  limitMs?: number;
  logger?: Pick<Logger, 'warn'>;
}

/** A database of metering, and connections to it as of other processes. */
export class BlocksRig {
  private sessions: Client[] = [];

  private constructor(readonly env: MeteringDatabase) {}

  static async start(): Promise<BlocksRig> {
    return new BlocksRig(await startMeteringDatabase());
  }

  /** On a copy of a database that was left. */
  static async on(left: PostgresServer): Promise<BlocksRig> {
    return new BlocksRig(await copyOf(left));
  }

  /** Ends all connections, and returns the server, for rigs `on` copies of what is there now. */
  async leave(): Promise<PostgresServer> {
    await this.endSessions();
    return this.env.leave();
  }

  async stop(): Promise<void> {
    await this.endSessions();
    await this.env.stop();
  }

  /** Ends what other processes have begun. */
  async endSessions(): Promise<void> {
    await Promise.all(this.sessions.splice(0).map((session) => session.end()));
  }

  /** Makes what is missing, and what is stale and rested. */
  async makeBlocks(making: Making = {}) {
    while (await this.blocks(making).run());
  }

  /**
   * From now on everybody's blocks have the hours of so many keys, and of so many of each model, however
   * little these used: a test has fewer. Blocks that are there are to be made anew.
   */
  async makeHoursOfKeys(most: number): Promise<void> {
    const session = await this.session();
    await session.query(`
      CREATE OR REPLACE FUNCTION usage_block_top_keys(current BIGINT) RETURNS SETOF TEXT LANGUAGE sql STABLE AS $$
        SELECT s.name FROM usage_block AS b JOIN usage_block_model_sum AS s USING (build)
        WHERE b.build = $1 AND b.edition >= 4 AND b.key_id = '*' AND s.model = '*' AND s.dimension = 'key' AND s.place <= ${most} $$`);
    const { rows } = await session.query<{ made: string }>(
      `SELECT pg_get_functiondef('usage_block_model_keys(bigint)'::regprocedure) AS made`,
    );
    const limits = 'WHERE placed.place <= 50 AND placed.requests >= 32';
    const [made = '', ...others] = (rows[0]?.made ?? '').split(limits);
    if (others.length !== 1)
      throw new Error(`usage_block_model_keys has other limits than "${limits}": say them here.`);
    await session.query(`${made}WHERE placed.place <= ${most} AND placed.requests >= 1${others[0]}`);
    await this.env.database.usageBlock.updateMany({ where: { edition: { gte: 5 } }, data: { edition: 3 } });
  }

  /**
   * Makes the hours that have ended before a time (epoch milliseconds) and not earlier than so many before
   * it.
   */
  async makeHours(nowMs: number, hours = 72): Promise<void> {
    await new EndedHours(this.env.databases, () => nowMs, 0, hours * 3_600_000).run();
  }

  /** What the metrics say of blocks. */
  figures() {
    return this.blocks({}).figures();
  }

  /** Who makes them. */
  blocks(making: Making): UsageBlocks {
    const { now = () => endAt + 7 * dayMs, few = 1, retentionMonths = null, restMs = 0, limitMs } = making;
    const { logger = { warn: () => undefined } } = making;
    const months = new EventMonths(this.env.databases, { retentionMonths }, now);
    return new UsageBlocks(this.env.databases, months, logger, now, few, restMs, limitMs);
  }

  /**
   * Begins to make a block of all keys of an account, as another process. Returns the mark by which it is
   * finished; null: it is not to be made now.
   */
  async startBlock(
    maker: Client,
    { accountId = 'account-1', days, startMs }: { accountId?: string; days: number; startMs: number },
  ): Promise<string | null> {
    const { rows } = await maker.query<{ mark: string | null }>(`SELECT start_usage_block($1, '', $2, $3) AS mark`, [
      accountId,
      days,
      new Date(startMs),
    ]);
    return rows[0]?.mark ?? null;
  }

  /** Another process's connection. */
  async session(): Promise<Client> {
    const client = new Client({ connectionString: this.env.url });
    await client.connect();
    this.sessions.push(client);
    return client;
  }
}

/** Gives each test of a file a rig of its own, on a copy of an empty database. */
export function rigOfEachTest(use: (rig: BlocksRig) => void): void {
  let server: PostgresServer;
  let rig: BlocksRig;
  beforeAll(async () => (server = await (await BlocksRig.start()).leave()));
  afterAll(() => server.stop());
  beforeEach(async () => {
    rig = await BlocksRig.on(server);
    use(rig);
  });
  afterEach(() => rig.stop());
}
