import { freePort } from '@tollgate/testing';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { workspaceRoot } from '../../stack/workspace-root';
import { ledgerEnvironment, oneOfEachDialect } from '../ledger/prove-ledger';
import type { ProofValues, Say } from '../proof';
import { withStack } from '../with-stack';
import { Witness } from './look';
import type { Look } from './look';
import { proveSoak } from './prove-soak';
import { soakReport } from './soak-report';

/**
 * `--plant edge` makes a service leak, which the proof must find; `--samples <file>` writes every look as a
 * line of JSON.
 */
export const soakOptions = {
  minutes: { type: 'string', default: '60' },
  keys: { type: 'string', default: '3000' },
  'per-second': { type: 'string', default: '40' },
  'every-s': { type: 'string', default: '26' },
  'nats-kills': { type: 'string', default: '8' },
  plant: { type: 'string' },
  samples: { type: 'string' },
  keep: { type: 'boolean', default: false },
} as const;

/** Holds when the memory of no process grows. */
export async function runSoak(values: ProofValues<typeof soakOptions>, onProgress: Say): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-soak-'));
  const natsMonitorPort = await freePort();
  const environment = {
    ...ledgerEnvironment,
    LOG_LEVEL: 'warn',
    NODE_OPTIONS: `--import ${pathToFileURL(join(workspaceRoot, 'tools/prove/soak/witness.mjs')).href}`,
    NODE_SOAK_FOLDER: folder,
    ...(values.plant !== undefined && { NODE_SOAK_PLANT: values.plant }),
  };
  try {
    return await withStack({ onProgress, keep: values.keep, natsMonitorPort, environment }, async (stack) => {
      const witness = new Witness(stack, folder, natsMonitorPort);
      const soak = await proveSoak(stack, witness, await oneOfEachDialect(stack), {
        minutes: Number(values.minutes),
        keys: Number(values.keys),
        perSecond: Number(values['per-second']),
        everyMs: Number(values['every-s']) * 1_000,
        natsKills: Number(values['nats-kills']),
        onLook: (look) => {
          if (values.samples !== undefined) appendFileSync(values.samples, `${lineOf(look)}\n`);
        },
        onProgress,
      });
      onProgress(soakReport(soak));
      return soak.holds;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function lineOf({ at, acts, processes }: Look): string {
  const measures = [...processes].map(([name, values]) => [name, Object.fromEntries(values)]);
  return JSON.stringify({ at, acts, ...Object.fromEntries(measures) });
}
