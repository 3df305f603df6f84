import { Module, type DynamicModule } from '@nestjs/common';
import { LiveCatalog } from './live-catalog';
import { SnapshotController } from './snapshot/snapshot.controller';

/** The operations of the catalog. */
@Module({})
export class CatalogModule {
  static with(catalog: LiveCatalog): DynamicModule {
    return {
      module: CatalogModule,
      controllers: [SnapshotController],
      providers: [{ provide: LiveCatalog, useValue: catalog }],
    };
  }
}
