import { setPriceOperations, type SetPrice, type ToldPrice } from '@tollgate/contracts';
import type { z } from 'zod/mini';
import { get, post } from './client';

const { list, history, set, withdraw } = setPriceOperations;

export type { SetPrice, ToldPrice };
export type PriceOutcome = z.infer<typeof set.reply>;

/** `prices` null: what the model would cost otherwise. `from` absent: as soon as is usual. */
export interface PriceWish {
  model: string;
  prices: z.input<typeof set.request>['prices'];
  from?: number;
  reason?: string;
  dryRun?: boolean;
}

export const fetchPrices = () => get('/api/admin/prices', list.reply);
/** What this model costs, whoever says it; null: that is not known. */
export async function fetchPrice(model: string): Promise<ToldPrice | null> {
  const { prices } = await get('/api/admin/prices', list.reply, { model });
  return prices[0] ?? null;
}
export const setPrice = (wish: PriceWish) => post('/api/admin/prices', wish, set.reply);
export const withdrawPrice = (id: string) => post('/api/admin/prices/withdraw', { id }, withdraw.reply);

/** One page of what was set, the newest first. */
export async function fetchPriceHistory(after?: string): Promise<{ data: SetPrice[]; next: string | null }> {
  const { prices, next } = await get('/api/admin/prices/history', history.reply, { after });
  return { data: prices, next };
}
