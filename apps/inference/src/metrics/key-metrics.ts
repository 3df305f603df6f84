import type { ProviderKeyRest } from '@tollgate/contracts';
import { Gauge, type Registry } from 'prom-client';

/** Keys that rest, read at each scrape. Labels are providers and the numbers of their keys only. */
export function watchKeys(registry: Registry, resting: () => readonly ProviderKeyRest[]): void {
  new Gauge({
    name: 'tollgate_inference_key_rest_seconds',
    help: 'For how long keys of providers that have several are still left alone, by what the provider answered.',
    labelNames: ['provider', 'key', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      // A key that rests at several models is one series: the longest of them.
      const longestLast = resting().toSorted((one, other) => one.restsForMs - other.restsForMs);
      for (const { provider, key, status, restsForMs } of longestLast)
        this.set({ provider, key: String(key), status: String(status) }, restsForMs / 1_000);
    },
  });
}
