import { Controller } from '@nestjs/common';
import type { z } from 'zod';
import { ControlError, type ServedBy } from '@tollgate/contracts';
import { priceOperations, setPriceOperations, type PriceSheet, type RateChange } from '@tollgate/contracts/catalog';
import { isDatabaseUnavailable } from '@tollgate/database';
import { Serve } from '@tollgate/messaging';
import { ConfigurationFile } from '../configuration-file/configuration-file';
import { LiveCatalog } from '../live-catalog';
import { known, stored } from '../operator/stored';
import { PriceHistory } from './price-history';
import { PriceLedger } from './price-ledger';
import { PriceList } from './price-list';
import { PriceSetting } from './price-setting';
import { PriceSync } from './price-sync';
import type { PriceOrigins } from './imported-price';
import { rateChanges } from './rate-changes';

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

type ImportRequest = z.output<typeof priceOperations.importPrices.request>;
type ImportReply = z.output<typeof priceOperations.importPrices.reply>;

/** What an import would do to the prices in force. `take` holds sheets that differ, `confirm` the others. */
interface ImportPlan extends Omit<ImportReply, 'applied' | 'from' | 'confirmed'> {
  take: ImportRequest['prices'];
  confirm: ImportRequest['prices'];
}

/** Compares sheets with the prices in force. A model that comes twice counts with its last sheet. */
function planImport(
  { models, operatorPriced }: PriceOrigins,
  inForce: ReadonlyMap<string, PriceSheet>,
  isSet: (model: string) => boolean,
  wanted: ImportRequest['prices'],
): ImportPlan {
  const known = new Set(models.map(({ id }) => id));
  const plan: ImportPlan = { take: [], confirm: [], changes: [], unchanged: [], overridden: [], unknown: [] };
  for (const [model, sheet] of new Map(wanted.map((each) => [each.model, each]))) {
    const changes: RateChange[] = rateChanges(model, inForce.get(model) ?? null, sheet.prices);
    if (!known.has(model)) plan.unknown.push(model);
    else if (isSet(model)) plan.overridden.push(model);
    else if (changes.length === 0) {
      plan.unchanged.push(model);
      if (!operatorPriced.has(model)) plan.confirm.push(sheet);
    } else if (operatorPriced.has(model)) plan.overridden.push(model);
    else {
      plan.take.push(sheet);
      plan.changes.push(...changes);
    }
  }
  return plan;
}

/**
 * Compares price sheets with those in force, and takes them into force where `apply` says so. Nothing is
 * written otherwise.
 */
async function importPrices(
  ledger: PriceLedger,
  origins: PriceOrigins,
  { source, prices, apply }: ImportRequest,
  nowMs: number,
): Promise<ImportReply> {
  const choice = await ledger.import(origins, source, nowMs, (inForce, isSet) => {
    const plan = planImport(origins, inForce, isSet, prices);
    return { take: apply ? plan.take : [], confirm: apply ? plan.confirm : [], plan };
  });
  const { take: _take, confirm, ...reply } = choice.plan;
  const confirmed = confirm.map(({ model }) => model);
  return { applied: choice.take.length + choice.confirm.length > 0, from: nowMs, ...reply, confirmed };
}
