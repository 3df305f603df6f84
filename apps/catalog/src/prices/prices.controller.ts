import { Controller } from '@nestjs/common';
import { ControlError, priceOperations } from '@tollgate/contracts';
import { isDatabaseUnavailable } from '@tollgate/database';
import { Serve } from '@tollgate/messaging';
import type { ImportReply, ImportRequest } from './price-import';
import { PriceDesk } from './price-desk';

/** What operators ask about prices. */
@Controller()
export class PricesController {
  constructor(private readonly desk: PriceDesk) {}

  @Serve(priceOperations.importPrices)
  async import(request: ImportRequest): Promise<ImportReply> {
    try {
      return await this.desk.import(request);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      throw new ControlError('unavailable', 'The database of the catalog does not answer. No price was changed.');
    }
  }
}
