import { Controller } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { catalogOperations, type CatalogSnapshot } from '@tollgate/contracts/catalog';
import { Serve } from '@tollgate/messaging';
import { LiveCatalog } from '../live-catalog';

/** Answers who asks for the catalog. */
@Controller()
export class SnapshotController {
  constructor(private readonly catalog: LiveCatalog) {}

  /** @throws ControlError `unavailable` rather than to tell of a catalog without guardrails that are set. */
  @Serve(catalogOperations.snapshotUnless)
  snapshot({ unless }: { unless?: string | undefined }): CatalogSnapshot | { revision: number; isSame: true } {
    if (!this.catalog.areGuardrailsKnown)
      throw new ControlError('unavailable', 'The settings have guardrails that this release does not understand.');
    const { snapshot, digest } = this.catalog;
    return unless === digest ? { revision: snapshot.revision, isSame: true } : { ...snapshot, digest };
  }
}
