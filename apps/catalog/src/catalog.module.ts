import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Database } from '@tollgate/database';
import { createCatalogDatabase } from '@tollgate/database/catalog';
import type { ServiceDefinition } from '@tollgate/service';
import { ReachMemory } from './availability/reach-memory';
import { CatalogMetrics } from './catalog-metrics';
import { ConfigurationFile } from './configuration-file/configuration-file';
import { IncidentWatch } from './incidents/incident-watch';
import { Incidents } from './incidents/incidents';
import { IncidentsController } from './incidents/incidents.controller';
import { LiveCatalog } from './live-catalog';
import { LiveProviders } from './live-providers/live-providers';
import { LiveProvidersController } from './live-providers/live-providers.controller';
import { OwnKeyProvidersController } from './live-providers/own-key-providers.controller';
import { ProviderKeys } from './live-providers/provider-keys';
import { PlansController } from './live-settings/plans.controller';
import { SetGuardrailsController } from './live-settings/set-guardrails.controller';
import { SetModelsController } from './live-settings/set-models.controller';
import { SettingsChanges } from './live-settings/settings-changes';
import { SettingsEntries } from './live-settings/settings-entries';
import { SettingsHistory } from './live-settings/settings-history';
import { SettingsController } from './live-settings/settings.controller';
import { DeploymentHolds } from './operator/deployment-holds';
import { ModelSwitch } from './operator/model-switch';
import { ModelsController } from './operator/models.controller';
import { OperatorChoices } from './operator/operator-choices';
import { FactorSetting } from './prices/factor-setting';
import { FactorsController } from './prices/factors.controller';
import { PriceHistory } from './prices/price-history';
import { PriceLedger } from './prices/price-ledger';
import { PriceList } from './prices/price-list';
import { PriceSetting } from './prices/price-setting';
import { PriceSync } from './prices/price-sync';
import { PricesController } from './prices/prices.controller';
import { CatalogSettings, DATABASE } from './settings';
import { SnapshotController } from './snapshot/snapshot.controller';

/** All of the catalog but the operator's file and the database. */
@Module({
  controllers: [
    SnapshotController,
    PricesController,
    FactorsController,
    ModelsController,
    SettingsController,
    PlansController,
    SetModelsController,
    SetGuardrailsController,
    LiveProvidersController,
    OwnKeyProvidersController,
    IncidentsController,
  ],
  providers: [
    CatalogMetrics,
    DeploymentHolds,
    FactorSetting,
    IncidentWatch,
    Incidents,
    LiveCatalog,
    LiveProviders,
    ModelSwitch,
    OperatorChoices,
    PriceHistory,
    PriceLedger,
    PriceList,
    PriceSetting,
    PriceSync,
    ProviderKeys,
    ReachMemory,
    SettingsChanges,
    SettingsEntries,
    SettingsHistory,
  ],
})
class CatalogModule implements OnApplicationShutdown {
  constructor(@Inject(DATABASE) private readonly database: Database<'catalog'>) {}

  onApplicationShutdown(): Promise<void> {
    return this.database.$disconnect();
  }
}

/** The service: serves the operator's file and the seed at once, and waits for Postgres with prices alone. */
export const catalog: ServiceDefinition<CatalogSettings> = {
  name: 'catalog',
  settings: CatalogSettings,
  checks: { guardrails: (classes) => classes.get(LiveCatalog).areGuardrailsKnown },
  module: async ({ configurationFile, databaseUrl, directDatabaseUrl }, logger) => {
    const file = await ConfigurationFile.read(configurationFile, logger);
    const database = createCatalogDatabase(databaseUrl, { pooled: directDatabaseUrl !== null });
    return {
      module: CatalogModule,
      providers: [
        { provide: ConfigurationFile, useValue: file },
        { provide: DATABASE, useValue: database },
      ],
    };
  },
};
