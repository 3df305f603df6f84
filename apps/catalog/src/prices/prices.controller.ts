import { Controller } from '@nestjs/common';
import { ControlError, priceOperations } from '@tollgate/contracts';
import { isDatabaseUnavailable } from '@tollgate/database';
import { Serve } from '@tollgate/messaging';
import { ConfigurationFile } from '../configuration-file/configuration-file';
import { LiveCatalog } from '../live-catalog';
import { importPrices, type ImportReply, type ImportRequest } from './price-import';
import { PriceLedger } from './price-ledger';
import { PriceSync } from './price-sync';

/** What operators ask about prices. */
@Controller()
export class PricesController {
  constructor(
    private readonly ledger: PriceLedger,
    private readonly sync: PriceSync,
    private readonly file: ConfigurationFile,
    private readonly catalog: LiveCatalog,
  ) {}

  /**
   * Takes an import of prices.
   * @throws ControlError `unavailable` while the catalog's own prices wait for Postgres, or it is away;
   * nothing was changed then.
   */
  @Serve(priceOperations.importPrices)
  async import(request: ImportRequest): Promise<ImportReply> {
    if (!this.sync.isDone)
      throw new ControlError('unavailable', 'The catalog still waits to write its own prices. No price was changed.');
    try {
      const reply = await importPrices(this.ledger, this.file.catalog, request, Date.now());
      if (reply.applied) await this.catalog.look();
      return reply;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      throw new ControlError('unavailable', 'The database of the catalog does not answer. No price was changed.');
    }
  }
}
