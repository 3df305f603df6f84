import { Controller } from '@nestjs/common';
import { catalogOperations } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import type { z } from 'zod';
import { LiveCatalog } from '../live-catalog';

type Reply = z.input<typeof catalogOperations.snapshot.reply>;

/** Answers who asks for the catalog. */
@Controller()
export class SnapshotController {
  constructor(private readonly catalog: LiveCatalog) {}

  @Serve(catalogOperations.snapshot)
  snapshot(_request: object): Promise<Reply> | Reply {
    return this.catalog.snapshot;
  }
}
