import { Injectable } from '@nestjs/common';
import { hasOldPrices } from '@tollgate/contracts/catalog';
import { Gauge, Registry } from 'prom-client';
import { LiveCatalog } from './live-catalog';
import { PriceSync } from './prices/price-sync';

/** The catalog's figures for Prometheus, read when they are asked for. */
@Injectable()
export class CatalogMetrics {
  constructor(registry: Registry, live: LiveCatalog, prices: PriceSync) {
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
    gauge('catalog_models', 'Models of the catalog.', () => live.snapshot.models.length);
    gauge('catalog_available_models', 'Models that can be generated now.', () => live.snapshot.available.length);
    gauge(
      'catalog_revision',
      'Revision of the snapshot (epoch milliseconds of its last change).',
      () => live.snapshot.revision,
    );
    gauge(
      'catalog_facts_age_seconds',
      'Time since the newest facts of the catalog were taken, by the release or by an import.',
      () => (Date.now() - Date.parse(live.snapshot.factsAsOf ?? '1970-01-01')) / 1_000,
    );
    gauge(
      'catalog_models_with_old_prices',
      'Models that can be generated now whose prices were taken from their source longer ago than PRICES_OLD_AFTER_DAYS.',
      () => {
        const { models, available, pricesOldAfterDays } = live.snapshot;
        const isLive = new Set(available);
        return models.filter((model) => isLive.has(model.id) && hasOldPrices(model, pricesOldAfterDays, Date.now()))
          .length;
      },
    );
    gauge(
      'catalog_settings_set_aside',
      'Entries that are set without the file and do not hold, because they do not fit the file or this release.',
      () => live.settingsInForce.entries.filter(({ standing }) => standing === 'set-aside').length,
    );
    gauge(
      'catalog_prices_written',
      '1 when the price table agrees with the catalog, 0 while writing waits for Postgres.',
      () => (prices.isDone ? 1 : 0),
    );
  }
}
