import { Inject, Injectable } from '@nestjs/common';
import { ControlError, type setPriceOperations } from '@tollgate/contracts';
import { isUuid, type Database } from '@tollgate/database';
import type { z } from 'zod';
import { DATABASE } from '../settings';
import { toSetPrice } from './price-setting';

type History = typeof setPriceOperations.history;

/** Every price that was set, those that were taken back too. */
@Injectable()
export class PriceHistory {
  constructor(@Inject(DATABASE) private readonly database: Pick<Database<'catalog'>, 'setPrice'>) {}

  /** The newest first. @throws ControlError `invalid` for a cursor that is none. */
  async list({ model, limit, after }: z.output<History['request']>): Promise<z.output<History['reply']>> {
    if (after !== undefined && !isUuid(after)) throw new ControlError('invalid', 'after: is none that was told.');
    const rows = await this.database.setPrice.findMany({
      where: model === undefined ? {} : { model },
      orderBy: [{ setAt: 'desc' }, { id: 'desc' }],
      take: limit + 1,
      ...(after !== undefined && { cursor: { id: after }, skip: 1 }),
    });
    const page = rows.slice(0, limit);
    return { prices: page.map(toSetPrice), next: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
  }
}
