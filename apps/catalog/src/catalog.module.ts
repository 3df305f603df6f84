import { Module, type DynamicModule } from '@nestjs/common';
import { ControlClient } from '@tollgate/messaging';
import { LiveCatalog } from './live-catalog';
import { DeploymentHolds } from './operator/deployment-holds';
import { ModelSwitch } from './operator/model-switch';
import { ModelsController } from './operator/models.controller';
import { PriceDesk } from './prices/price-desk';
import { PricesController } from './prices/prices.controller';
import { SnapshotController } from './snapshot/snapshot.controller';

/** The operations of the catalog. */
@Module({})
export class CatalogModule {
  static with(
    catalog: LiveCatalog,
    desk: PriceDesk,
    models: ModelSwitch,
    holds: DeploymentHolds,
    control: ControlClient,
  ): DynamicModule {
    return {
      module: CatalogModule,
      controllers: [SnapshotController, PricesController, ModelsController],
      providers: [
        { provide: LiveCatalog, useValue: catalog },
        { provide: PriceDesk, useValue: desk },
        { provide: ModelSwitch, useValue: models },
        { provide: DeploymentHolds, useValue: holds },
        { provide: ControlClient, useValue: control },
      ],
    };
  }
}
