import { Inject, Injectable } from '@nestjs/common';
import type { setPriceOperations } from '@tollgate/contracts/catalog';
import type { Database } from '@tollgate/database';
import type { z } from 'zod';
import { DATABASE } from '../settings';
import { toSetPrice } from './price-setting';
import { pageOfSet } from './set-from';

type History = typeof setPriceOperations.history;

/** Every price that was set, those that were taken back too. */
@Injectable()
export class PriceHistory {
  constructor(@Inject(DATABASE) private readonly database: Pick<Database<'catalog'>, 'setPrice'>) {}

  /** The newest first. @throws ControlError `invalid` for a cursor that is none. */
  async list({ model, ...page }: z.output<History['request']>): Promise<z.output<History['reply']>> {
    const where = model === undefined ? {} : { model };
    const { rows, next } = await pageOfSet(page, (of) => this.database.setPrice.findMany({ where, ...of }));
    return { prices: rows.map(toSetPrice), next };
  }
}
