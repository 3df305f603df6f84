import { parseArgs } from 'node:util';
import { buildServices } from '../../stack/build';
import { Site } from '../chaos/site';
import { natsOutageReport, postgresOutageReport } from './outages-report';
import { proveNatsOutage } from './prove-nats-outage';
import { provePostgresOutage } from './prove-postgres-outage';

/** `npm run prove:outages`: exits with 0 when both proofs hold. `--keep` leaves databases and logs for a look. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'per-second': { type: 'string', default: '20' },
      'postgres-away-s': { type: 'string', default: '300' },
      'nats-kills': { type: 'string', default: '10' },
      'nats-away-s': { type: 'string', default: '2' },
      patience: { type: 'string', default: '1' },
      keep: { type: 'boolean', default: false },
    },
  });
  const onProgress = (line: string) => console.log(line);
  const perSecond = Number(values['per-second']);
  await buildServices();
  const site = await Site.start(onProgress, false);
  try {
    const nats = await proveNatsOutage(site, {
      perSecond,
      kills: Number(values['nats-kills']),
      awayMs: Number(values['nats-away-s']) * 1_000,
      patience: Number(values.patience),
      onProgress,
    });
    console.log(natsOutageReport(nats));
    const postgres = await provePostgresOutage(site, {
      perSecond,
      awayMs: Number(values['postgres-away-s']) * 1_000,
      onProgress,
    });
    console.log(postgresOutageReport(postgres));
    process.exitCode = nats.holds && postgres.holds ? 0 : 1;
  } finally {
    const folder = await site.stop(values.keep);
    if (values.keep) console.log(`Kept: ${folder}`);
  }
}

void main();
