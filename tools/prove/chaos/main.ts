import { parseArgs } from 'node:util';
import { buildServices } from '../../stack/build';
import { chaosReport } from './chaos-report';
import { proveChaos } from './prove-chaos';
import { Site } from './site';

/** `npm run prove:chaos`: exits with 0 when every cell is as declared. `--only nats` picks rows by their name; `--keep` leaves databases and logs for a look. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { only: { type: 'string', default: '' }, keep: { type: 'boolean', default: false } },
  });
  const onProgress = (line: string) => console.log(line);
  await buildServices();
  const site = await Site.start(onProgress);
  try {
    const proof = await proveChaos(site, {
      chosen: ({ part, harm }) => `${part} ${harm}`.includes(values.only),
      roundsAtMs: [0, 1_000, 3_000, 6_000],
      onProgress,
    });
    console.log(chaosReport(proof, process.stdout.isTTY));
    process.exitCode = proof.red === 0 ? 0 : 1;
  } finally {
    const folder = await site.stop(values.keep);
    if (values.keep) console.log(`Kept: ${folder}`);
  }
}

void main();
