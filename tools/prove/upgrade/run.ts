import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceName } from '../../stack/service-plan';
import { serviceNames } from '../../stack/service-plan';
import { workspaceRoot } from '../../stack/workspace-root';
import type { ProofValues, Say } from '../proof';
import { withStack, withValkey } from '../with-stack';
import { builtRelease, formerRelease } from './former-release';
import { instances, proveUpgrade } from './prove-upgrade';

/** `--from <tag or commit>`: the former release; `--keep` leaves databases and logs for a look. */
export const upgradeOptions = {
  from: { type: 'string' },
  'per-second': { type: 'string', default: '10' },
  keep: { type: 'boolean', default: false },
} as const;

/**
 * Holds when no request failed, no stream was cut, the ledger is the provider's, and sessions and keys are
 * good at both ends.
 */
export async function runUpgrade(values: ProofValues<typeof upgradeOptions>, say: Say): Promise<boolean> {
  const from = values.from ?? (await formerRelease());
  const former = await builtRelease(from, say);
  say(`From ${from.slice(0, 12)} to this checkout, and back.`);
  const bundles = mkdtempSync(join(tmpdir(), 'tollgate-bundles-'));
  mkdirSync(join(bundles, 'dist', 'apps'), { recursive: true });
  /** A service runs from where this leads when it starts. */
  const turn = (service: ServiceName, to: 'former' | 'present'): void => {
    const link = join(bundles, 'dist', 'apps', service);
    rmSync(link, { force: true });
    symlinkSync(join(to === 'former' ? former : workspaceRoot, 'dist', 'apps', service), link);
  };
  // The simulated providers are no part of a release.
  for (const service of serviceNames) turn(service, service === 'sandbox' ? 'present' : 'former');
  const perSecond = Number(values['per-second']);
  try {
    return await withValkey((valkey) => {
      const environment = { VALKEY_URL: valkey.url, EDGE_STOP_GRACE_S: '3' };
      const options = { onProgress: say, keep: values.keep, instances, environment, bundles };
      return withStack(options, (stack) => proveUpgrade(stack, { turn, perSecond, say }));
    });
  } finally {
    rmSync(bundles, { recursive: true, force: true });
  }
}
