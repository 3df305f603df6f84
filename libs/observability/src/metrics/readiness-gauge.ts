import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/**
 * Shows what a service needs, and whether it is there, at each scrape. `missing` gives the names of the
 * checks that do not hold.
 */
export function showReadiness(
  registry: Registry,
  checks: readonly string[],
  missing: () => Promise<readonly string[]>,
): void {
  if (checks.length === 0) return;
  const gauge: Gauge<'check'> = new Gauge({
    name: 'tollgate_ready',
    help: 'What this instance needs before it can work: 1 while it is there, 0 while it is missing.',
    labelNames: ['check'],
    registers: [registry],
    collect: async () => {
      const gone = await missing();
      for (const check of checks) gauge.set({ check }, gone.includes(check) ? 0 : 1);
    },
  });
}
