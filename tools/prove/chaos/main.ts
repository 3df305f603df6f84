import { parseArgs } from 'node:util';
import { buildServices } from '../../stack/build';
import { chaosReport } from './chaos-report';
import { proveChaos } from './prove-chaos';
import { Site } from './site';

/**
 * `npm run prove:chaos`: exits with 0 when every cell is as declared. `--only nats` picks rows by their name; `--patience 3` grants three times the declared
 * times, for a machine that does other things too; `--keep` leaves databases and logs for a look.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      patience: { type: 'string', default: '1' },
      keep: { type: 'boolean', default: false },
    },
  });
  const onProgress = (line: string) => console.log(line);
  // An exit runs what takes small disks away again; death by a signal would not.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  await buildServices();
  const site = await Site.start(onProgress);
  try {
    const proof = await proveChaos(site, {
      chosen: ({ part, harm }) => `${part} ${harm}`.includes(values.only),
      roundsAtMs: [0, 1_000, 3_000, 6_000],
      patience: Number(values.patience),
      onProgress,
    });
    console.log(chaosReport(proof, process.stdout.isTTY));
    process.exitCode = proof.holds ? 0 : 1;
  } finally {
    const folder = await site.stop(values.keep);
    if (values.keep) console.log(`Kept: ${folder}`);
  }
}

void main();
