import { startLinkedNatsCluster, startNatsCluster, startPgBouncer, startPostgresPair } from '@tollgate/testing';
import type { LinkedNatsCluster, NatsCluster, PgBouncer, PostgresPair } from '@tollgate/testing';
import { Balancer } from '../balancer';
import type { ProofValues, Say } from '../proof';
import { withStack, withValkeyPair } from '../with-stack';
import { clusterReport } from './cluster-report';
import { proveCluster } from './prove-cluster';
import { proveGrowth } from './prove-growth';
import { rowsOf } from './sql';
import { cutOffs, strikeKinds, strikesOn } from './strikes';
import type { Site, Strike } from './strikes';

/**
 * `--freeze-s 5,30,120`: how long each server is frozen, and each node cut off; `--strikes kill,freeze,roll`:
 * only these; `--inference`: how many instances of it; `--pool-size`: server connections of the pooler, for
 * all services; `--keep` leaves databases and logs for a look.
 */
export const clusterOptions = {
  strikes: { type: 'string', default: [...strikeKinds, 'cut', 'grow'].join(',') },
  'freeze-s': { type: 'string', default: '5' },
  'calm-ms': { type: 'string', default: '6000' },
  'per-second': { type: 'string', default: '15' },
  inference: { type: 'string', default: '2' },
  'pool-size': { type: 'string', default: '20' },
  keep: { type: 'boolean', default: false },
} as const;

type Values = ProofValues<typeof clusterOptions>;

const instances = { edge: 2, metering: 2, accounts: 2, catalog: 2 };
/**
 * As docs/cluster.md says. PgBouncer waits 15 seconds unless told before it tries a server again that it
 * could not log in to. A client that waits for a server is not listened to: one that gave up stays in the
 * queue for `query_wait_timeout`, 120 seconds unless told, and counts among `max_client_conn`, 100 unless
 * told, so that after a few seconds without a server nobody else gets in.
 * @see https://www.pgbouncer.org/config.html
 */
const poolerSettings = ['server_login_retry = 1', 'query_wait_timeout = 5', 'max_client_conn = 1000'];
/** What the server itself ends: services behind a pooler cannot say so with their sessions. */
const roleSettings = ["statement_timeout = '11min'", "idle_in_transaction_session_timeout = '30s'", 'jit = off'];

/** Holds when the end of a part, planned or not, cuts no answer and costs no event. */
export async function runCluster(values: Values, onProgress: Say): Promise<boolean> {
  const kinds = values.strikes.split(',');
  const freezeS = values['freeze-s'].split(',').map(Number);
  const others = kinds.filter((kind) => kind !== 'grow' && kind !== 'cut');
  const results: boolean[] = [];
  if (others.length > 0) {
    const strikes = (site: Site) => strikesOn(site, others, freezeS, onProgress);
    results.push(await onCluster(startNatsCluster, (cluster) => strikeCluster(cluster, strikes, values, onProgress)));
  }
  if (kinds.includes('cut')) {
    const work = (cluster: LinkedNatsCluster) =>
      strikeCluster(cluster, () => cutOffs(cluster, freezeS), values, onProgress);
    results.push(await onCluster(startLinkedNatsCluster, work));
  }
  if (kinds.includes('grow')) results.push(await proveGrowth(Number(values['per-second']), onProgress));
  return results.every(Boolean);
}

async function strikeCluster(
  cluster: NatsCluster,
  strikes: (site: Site) => Strike[],
  values: Values,
  onProgress: Say,
): Promise<boolean> {
  return withPair(Number(values['pool-size']), onProgress, (pair, pooler) =>
    withValkeyPair((valkey) => {
      const direct = pooler ? { DATABASE_DIRECT_URL: pair.url } : {};
      const environment = { VALKEY_URL: valkey.url, EDGE_STOP_GRACE_S: '3', ...direct };
      const databaseUrl = pooler?.url ?? pair.url;
      const options = { onProgress, keep: values.keep, natsUrl: cluster.url, databaseUrl, environment };
      const all = { ...instances, inference: Number(values.inference) };
      return withStack({ ...options, instances: all }, async (stack) => {
        const balancer = new Balancer(stack.baseUrls);
        const proof = await proveCluster(stack, balancer, strikes({ cluster, stack, balancer, pair, pooler, valkey }), {
          calmMs: Number(values['calm-ms']),
          perSecond: Number(values['per-second']),
          onProgress,
        });
        onProgress(clusterReport(proof));
        return proof.holds;
      });
    }),
  );
}

/** Plays `work` on a cluster of three servers of its own. */
async function onCluster<Cluster extends NatsCluster>(
  start: (size: number) => Promise<Cluster>,
  work: (cluster: Cluster) => Promise<boolean>,
): Promise<boolean> {
  const cluster = await start(3);
  try {
    return await work(cluster);
  } finally {
    await cluster.stop();
  }
}

/** Plays `work` beside a Postgres with a standby, and a pooler before it, where there is one. */
async function withPair(
  poolSize: number,
  say: Say,
  work: (pair: PostgresPair, pooler: PgBouncer | null) => Promise<boolean>,
): Promise<boolean> {
  const pair = await startPostgresPair();
  try {
    // The database itself is made by the first service.
    const maintenance = new URL('/postgres', pair.primaryUrl).href;
    for (const setting of roleSettings) await rowsOf(maintenance, `ALTER ROLE CURRENT_USER SET ${setting}`);
    const pooler = await poolerOf(pair, poolSize, say);
    try {
      return await work(pair, pooler);
    } finally {
      await pooler?.stop();
    }
  } finally {
    await pair.stop();
  }
}

/** Null, which is told, where PgBouncer cannot be had here. */
async function poolerOf(pair: PostgresPair, poolSize: number, say: Say): Promise<PgBouncer | null> {
  try {
    return await startPgBouncer(pair.url, [...poolerSettings, `default_pool_size = ${poolSize}`]);
  } catch (error) {
    say(`Without a pooler, and without its strikes: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}
