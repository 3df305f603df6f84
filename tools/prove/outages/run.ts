import { buildServices } from '../../stack/build';
import { Site } from '../chaos/site';
import type { ProofValues, Say } from '../proof';
import { natsOutageReport, postgresOutageReport } from './outages-report';
import { proveNatsOutage } from './prove-nats-outage';
import { provePostgresOutage } from './prove-postgres-outage';

/** `--keep` leaves databases and logs for a look. */
export const outagesOptions = {
  'per-second': { type: 'string', default: '20' },
  'postgres-away-s': { type: 'string', default: '300' },
  'nats-kills': { type: 'string', default: '10' },
  'nats-away-s': { type: 'string', default: '2' },
  patience: { type: 'string', default: '1' },
  keep: { type: 'boolean', default: false },
} as const;

/** Holds when both outages do. */
export async function runOutages(values: ProofValues<typeof outagesOptions>, onProgress: Say): Promise<boolean> {
  const perSecond = Number(values['per-second']);
  await buildServices();
  const site = await Site.start(onProgress, false);
  try {
    const nats = await proveNatsOutage(site, {
      perSecond,
      kills: Number(values['nats-kills']),
      awayMs: Number(values['nats-away-s']) * 1_000,
      calmMs: 8_000,
      patience: Number(values.patience),
      onProgress,
    });
    onProgress(natsOutageReport(nats));
    const postgres = await provePostgresOutage(site, {
      perSecond,
      awayMs: Number(values['postgres-away-s']) * 1_000,
      calmMs: 5_000,
      onProgress,
    });
    onProgress(postgresOutageReport(postgres));
    return nats.holds && postgres.holds;
  } finally {
    const folder = await site.stop(values.keep);
    if (values.keep) onProgress(`Kept: ${folder}`);
  }
}
