import { ControlError } from '@tollgate/contracts';
import type { PriceOrigins } from './imported-price';
import type { OperatorChoices } from '../operator/operator-choices';
import { importPrices } from './price-import';
import type { ImportReply, ImportRequest } from './price-import';
import type { PriceLedger } from './price-ledger';
import type { PriceSync } from './price-sync';

/** Takes imports of prices, for operators. */
export class PriceDesk {
  constructor(
    private readonly ledger: PriceLedger,
    private readonly sync: PriceSync,
    private readonly watch: OperatorChoices,
    /** The catalog without imported prices, as it is now. */
    private readonly origins: () => PriceOrigins,
    private readonly now: () => number = Date.now,
  ) {}

  /** @throws ControlError `unavailable` while the catalog's own prices wait for Postgres; what the database says when it fails, and then nothing was changed. */
  async import(request: ImportRequest): Promise<ImportReply> {
    if (!this.sync.isDone)
      throw new ControlError('unavailable', 'The catalog still waits to write its own prices. No price was changed.');
    const reply = await importPrices(this.ledger, this.origins(), request, this.now());
    if (reply.applied) await this.watch.look();
    return reply;
  }
}
