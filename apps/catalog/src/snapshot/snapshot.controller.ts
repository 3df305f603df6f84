import { Controller } from '@nestjs/common';
import { catalogOperations, type CatalogSnapshot } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import { LiveCatalog } from '../live-catalog';

/** Answers who asks for the catalog. */
@Controller()
export class SnapshotController {
  constructor(private readonly catalog: LiveCatalog) {}

  @Serve(catalogOperations.snapshot)
  snapshot(_request: object): CatalogSnapshot {
    return this.catalog.snapshot;
  }
}
