import type { CatalogSnapshot } from '@tollgate/contracts';
import { serviceRegistry } from '@tollgate/observability';
import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/** The catalog's figures for Prometheus, read when they are asked for. */
export function catalogMetrics(snapshot: () => CatalogSnapshot, pricesWritten: () => boolean): Registry {
  const registry = serviceRegistry();
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  };
  gauge('catalog_models', 'Models of the catalog.', () => snapshot().models.length);
  gauge('catalog_available_models', 'Models that can be generated now.', () => snapshot().available.length);
  gauge(
    'catalog_revision',
    'Revision of the snapshot (epoch milliseconds of its last change).',
    () => snapshot().revision,
  );
  gauge(
    'catalog_facts_age_seconds',
    'Time since the newest facts of the catalog were taken, by the release or by an import.',
    () => (Date.now() - Date.parse(snapshot().factsAsOf ?? '1970-01-01')) / 1_000,
  );
  gauge(
    'catalog_prices_written',
    '1 when the price table agrees with the catalog, 0 while writing waits for Postgres.',
    () => (pricesWritten() ? 1 : 0),
  );
  return registry;
}
