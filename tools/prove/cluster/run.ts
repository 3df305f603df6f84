import { startNatsCluster } from '@tollgate/testing';
import type { ProofValues, Say } from '../proof';
import { withStack, withValkey } from '../with-stack';
import { clusterReport } from './cluster-report';
import { proveCluster } from './prove-cluster';
import { strikesOn } from './strikes';

/** `--freeze-s 5,30,120`: how long each node is frozen; `--strikes kill,freeze,roll`: only these; `--keep` leaves databases and logs for a look. */
export const clusterOptions = {
  strikes: { type: 'string', default: 'roll,kill,freeze' },
  'freeze-s': { type: 'string', default: '5' },
  'calm-ms': { type: 'string', default: '6000' },
  'per-second': { type: 'string', default: '15' },
  keep: { type: 'boolean', default: false },
} as const;

const instances = { edge: 2, inference: 2, metering: 2, accounts: 2, catalog: 2 };

/** Holds when the end of one of three nodes, planned or not, cuts no answer and costs no event. */
export async function runCluster(values: ProofValues<typeof clusterOptions>, onProgress: Say): Promise<boolean> {
  onProgress('Not struck here: Postgres. The one that npm brings has no pg_basebackup, so there is no standby.');
  const cluster = await startNatsCluster(3);
  const play = () =>
    withValkey((valkey) => {
      const environment = { VALKEY_URL: valkey.url };
      const options = { onProgress, keep: values.keep, instances, natsUrl: cluster.url, environment };
      return withStack(options, async (stack) => {
        const strikes = strikesOn(cluster, values.strikes.split(','), values['freeze-s'].split(',').map(Number));
        const calmMs = Number(values['calm-ms']);
        const proof = await proveCluster(stack, strikes, {
          calmMs,
          perSecond: Number(values['per-second']),
          onProgress,
        });
        onProgress(clusterReport(proof));
        return proof.holds;
      });
    });
  return play().finally(() => cluster.stop());
}
