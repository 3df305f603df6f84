import { Controller } from '@nestjs/common';
import { catalogOperations, ControlError, type CatalogSnapshot } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import { LiveCatalog } from '../live-catalog';

/** Answers who asks for the catalog. */
@Controller()
export class SnapshotController {
  constructor(private readonly catalog: LiveCatalog) {}

  /** @throws ControlError `unavailable` rather than to tell of a catalog without guardrails that are set. */
  @Serve(catalogOperations.snapshot)
  snapshot(_request: object): CatalogSnapshot {
    if (!this.catalog.areGuardrailsKnown)
      throw new ControlError('unavailable', 'The settings have guardrails that this release does not understand.');
    return this.catalog.snapshot;
  }
}
