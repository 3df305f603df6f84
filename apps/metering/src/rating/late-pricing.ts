import { Injectable } from '@nestjs/common';
import { attempt, tokenUsage } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import type { Queries } from '@tollgate/database';
import type { z } from 'zod';
import { Databases } from '../databases';
import { addCosts } from '../ingest/apply-changes';
import type { CostChange } from '../ingest/apply-changes';
import { providerInSql } from '../ingest/fold-rows';
import { attributionIn } from '../ledger/find-events';
import { catalogRevision, PriceBook } from './price-book';
import { chargeEvent } from './rate-usage';

interface UnpricedEvent {
  id: string;
  key: string;
  account: string;
  model: string;
  provider: string;
  state: UsageEvent['state'];
  cached: boolean;
  attempts: unknown;
  usage: z.input<typeof tokenUsage>;
  startedAt: Date;
  endedAt: Date;
  endUser: string | null;
  session: string | null;
  agent: string | null;
  tags: string[];
}

const batchSize = 500;
const firstId = '00000000-0000-0000-0000-000000000000';

/**
 * Prices events that came before their price: catalog could not write it yet, or an operator added one that
 * was missing. Only what was unknown is filled in, once; a cost that is known never changes. The sums follow
 * in the same transaction.
 */
@Injectable()
export class LatePricing {
  private revision: bigint | null = null;

  constructor(private readonly databases: Databases) {}

  /** Prices what can be priced, if prices changed since the last run. Returns how many events were priced. */
  async run(): Promise<number> {
    if ((await catalogRevision(this.databases.ingest)) === this.revision) return 0;
    const prices = await PriceBook.load(this.databases.ingest);
    let priced = 0;
    for (let after: string | null = firstId; after !== null;) {
      const from: string = after;
      const batch = await this.databases.ingest.$transaction((transaction) => priceBatch(transaction, prices, from));
      priced += batch.priced;
      after = batch.last;
    }
    this.revision = prices.revision;
    return priced;
  }
}

/**
 * Prices what can be priced of the next events behind `after`: some stay unpriced. `last` null: there are no
 * more.
 */
async function priceBatch(
  transaction: Queries<'metering'>,
  prices: PriceBook,
  after: string,
): Promise<{ priced: number; last: string | null }> {
  const events = await lockUnpriced(transaction, after);
  const changes = events.flatMap((event): CostChange[] => {
    const startedAt = event.startedAt.getTime();
    const usage = tokenUsage.parse(event.usage);
    const attempts = attempt.pick({ ownKey: true }).array().parse(event.attempts);
    const { price, nanoUsd } = chargeEvent({ ...event, usage, attempts, endedAt: event.endedAt.getTime() }, (model) =>
      prices.find(model, startedAt),
    );
    if (price === null || nanoUsd === null) return [];
    const { id, key, account, model, provider } = event;
    return [
      {
        ...{ id, key, account, model, provider },
        ended: event.endedAt.getTime(),
        price: price.id,
        cost: nanoUsd.toString(),
        attribution: event.cached ? undefined : attributionIn(event),
      },
    ];
  });
  if (changes.length > 0) await addCosts(transaction, changes);
  return { priced: changes.length, last: events.length < batchSize ? null : (events.at(-1)?.id ?? null) };
}

/** Events without a price that has one by now, locked in the order of their ids. */
function lockUnpriced(transaction: Queries<'metering'>, after: string): Promise<UnpricedEvent[]> {
  return transaction.$queryRaw<UnpricedEvent[]>`
    SELECT id, key_id AS key, account_id AS account, model, ${providerInSql} AS provider, state, cached, attempts,
      started_at AS "startedAt", ended_at AS "endedAt", end_user AS "endUser", session, agent, coalesce(tags, '{}') AS tags,
      json_build_object('input', input_tokens, 'output', output_tokens, 'cachedInput', cached_input,
        'cacheWrite5m', cache_write_5m, 'cacheWrite1h', cache_write_1h, 'reasoning', reasoning,
        'audioInput', audio_input, 'audioOutput', audio_output, 'served', coalesce(served, '{}')) AS usage
    FROM usage_event
    WHERE cost_nano_usd IS NULL AND id > ${after}::uuid AND EXISTS (
      SELECT FROM price WHERE price.model = usage_event.model AND valid_from <= started_at
        AND (valid_to IS NULL OR valid_to > started_at))
    ORDER BY id LIMIT ${batchSize} FOR UPDATE OF usage_event`;
}
