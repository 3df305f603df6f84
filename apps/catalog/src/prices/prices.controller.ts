import { Controller } from '@nestjs/common';
import { ControlError, priceOperations, setPriceOperations } from '@tollgate/contracts';
import type { ServedBy } from '@tollgate/contracts';
import { isDatabaseUnavailable } from '@tollgate/database';
import { Serve } from '@tollgate/messaging';
import { ConfigurationFile } from '../configuration-file/configuration-file';
import { LiveCatalog } from '../live-catalog';
import { importPrices, type ImportReply, type ImportRequest } from './price-import';
import { known, stored } from '../operator/stored';
import { PriceHistory } from './price-history';
import { PriceLedger } from './price-ledger';
import { PriceList } from './price-list';
import { PriceSetting } from './price-setting';
import { PriceSync } from './price-sync';

type Served = ServedBy<typeof setPriceOperations>;

/** What operators ask about prices. */
@Controller()
export class PricesController {
  constructor(
    private readonly ledger: PriceLedger,
    private readonly sync: PriceSync,
    private readonly file: ConfigurationFile,
    private readonly catalog: LiveCatalog,
    private readonly setting: PriceSetting,
    private readonly history: PriceHistory,
    private readonly priceList: PriceList,
  ) {}

  /**
   * Takes an import of prices.
   * @throws ControlError `unavailable` while the catalog's own prices wait for Postgres, or it is away;
   * nothing was changed then.
   */
  @Serve(priceOperations.importPrices)
  async import(request: ImportRequest): Promise<ImportReply> {
    this.requireOwnPrices();
    try {
      const reply = await importPrices(this.ledger, this.file.catalog, request, Date.now());
      if (reply.applied) await this.catalog.look();
      return reply;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      throw new ControlError('unavailable', 'The database of the catalog does not answer. No price was changed.');
    }
  }

  @Serve(setPriceOperations.set)
  set(asked: Served['set']['request']): Promise<Served['set']['reply']> {
    this.requireOwnPrices();
    return stored(this.setting.set(asked));
  }

  @Serve(setPriceOperations.withdraw)
  withdraw(asked: Served['withdraw']['request']): Promise<Served['withdraw']['reply']> {
    this.requireOwnPrices();
    return stored(this.setting.withdraw(asked));
  }

  @Serve(setPriceOperations.history)
  tell(asked: Served['history']['request']): Promise<Served['history']['reply']> {
    return known(this.history.list(asked));
  }

  @Serve(setPriceOperations.list)
  list(asked: Served['list']['request']): Promise<Served['list']['reply']> {
    return known(this.priceList.list(asked));
  }

  private requireOwnPrices(): void {
    if (!this.sync.isDone)
      throw new ControlError('unavailable', 'The catalog still waits to write its own prices. No price was changed.');
  }
}
