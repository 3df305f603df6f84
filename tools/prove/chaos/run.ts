import { buildServices } from '../../stack/build';
import type { ProofValues, Say } from '../proof';
import { chaosReport } from './chaos-report';
import { nameOf } from './contract';
import { proveChaos } from './prove-chaos';
import { Site } from './site';

/**
 * `--only nats` picks rows by their name; `--patience 3` grants three times the declared times, for a machine
 * that does other things too;
 * `--keep` leaves databases and logs for a look.
 */
export const chaosOptions = {
  only: { type: 'string', default: '' },
  patience: { type: 'string', default: '1' },
  keep: { type: 'boolean', default: false },
} as const;

/** Holds when every cell is as declared. */
export async function runChaos(values: ProofValues<typeof chaosOptions>, say: Say): Promise<boolean> {
  await buildServices();
  const site = await Site.start(say);
  try {
    const proof = await proveChaos(site, {
      chosen: (disturbance) => nameOf(disturbance).includes(values.only),
      roundsAtMs: [0, 1_000, 3_000, 6_000],
      patience: Number(values.patience),
      onProgress: say,
    });
    say(chaosReport(proof, process.stdout.isTTY));
    return proof.holds;
  } finally {
    const folder = await site.stop(values.keep);
    if (values.keep) say(`Kept: ${folder}`);
  }
}
