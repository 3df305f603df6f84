import { tokenUsage } from '@tollgate/contracts';
import type { Database, Queries } from '@tollgate/database';
import type { z } from 'zod';
import { addCosts } from '../ingest/apply-changes';
import type { CostChange } from '../ingest/apply-changes';
import { providerInSql } from '../ingest/fold-rows';
import { PriceBook } from './price-book';
import { rateUsage } from './rate-usage';

interface UnpricedEvent {
  id: string;
  key: string;
  model: string;
  provider: string;
  completed: boolean;
  usage: z.input<typeof tokenUsage>;
  startedAt: Date;
  endedAt: Date;
}

const batchSize = 500;

/**
 * Prices events that came before their price: catalog could not write it yet, or an operator added one that was missing. Only what was unknown is
 * filled in, once; a cost that is known never changes. The sums follow in the same transaction.
 */
export class LatePricing {
  private revision: bigint | null = null;

  constructor(private readonly database: Database<'metering'>) {}

  /** Prices what can be priced, if prices changed since the last run. Returns how many events were priced. */
  async run(): Promise<number> {
    const prices = await PriceBook.load(this.database);
    if (prices.revision === this.revision) return 0;
    let priced = 0;
    for (let batch = batchSize; batch === batchSize; priced += batch) {
      batch = await this.database.$transaction((transaction) => priceBatch(transaction, prices));
    }
    this.revision = prices.revision;
    return priced;
  }
}

async function priceBatch(transaction: Queries<'metering'>, prices: PriceBook): Promise<number> {
  const events = await lockUnpriced(transaction);
  const changes = events.flatMap((event): CostChange[] => {
    const price = prices.find(event.model, event.startedAt.getTime());
    if (!price) return [];
    const cost = rateUsage(price.sheet, tokenUsage.parse(event.usage), event.completed).toString();
    const { id, key, model, provider } = event;
    return [{ id, key, model, provider, ended: event.endedAt.getTime(), price: price.id, cost }];
  });
  if (changes.length > 0) await addCosts(transaction, changes);
  return changes.length;
}

/** Events without a price that has one by now, locked in the order of their ids. */
function lockUnpriced(transaction: Queries<'metering'>): Promise<UnpricedEvent[]> {
  return transaction.$queryRaw<UnpricedEvent[]>`
    SELECT id, key_id AS key, model, ${providerInSql} AS provider, state = 'completed' AND NOT cached AS completed,
      started_at AS "startedAt", ended_at AS "endedAt",
      json_build_object('input', input_tokens, 'output', output_tokens, 'cachedInput', cached_input,
        'cacheWrite5m', cache_write_5m, 'cacheWrite1h', cache_write_1h, 'reasoning', reasoning,
        'audioInput', audio_input, 'audioOutput', audio_output) AS usage
    FROM usage_event
    WHERE cost_nano_usd IS NULL AND EXISTS (
      SELECT FROM price WHERE price.model = usage_event.model AND valid_from <= started_at
        AND (valid_to IS NULL OR valid_to > started_at))
    ORDER BY id LIMIT ${batchSize} FOR UPDATE OF usage_event`;
}
