import { Module, type DynamicModule } from '@nestjs/common';
import { LiveCatalog } from './live-catalog';
import { PriceDesk } from './prices/price-desk';
import { PricesController } from './prices/prices.controller';
import { SnapshotController } from './snapshot/snapshot.controller';

/** The operations of the catalog. */
@Module({})
export class CatalogModule {
  static with(catalog: LiveCatalog, desk: PriceDesk): DynamicModule {
    return {
      module: CatalogModule,
      controllers: [SnapshotController, PricesController],
      providers: [
        { provide: LiveCatalog, useValue: catalog },
        { provide: PriceDesk, useValue: desk },
      ],
    };
  }
}
