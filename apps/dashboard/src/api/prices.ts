import type { PriceFactors } from '@tollgate/contracts';
import {
  setFactorOperations,
  setPriceOperations,
  type SetFactors,
  type SetPrice,
  type ToldFactors,
  type ToldPrice,
} from '@tollgate/contracts/catalog';
import type { z } from 'zod/mini';
import { get, post } from './client';

const { list, history, set, withdraw } = setPriceOperations;

export type { PriceFactors, SetFactors, SetPrice, ToldFactors, ToldPrice };
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

const factors = setFactorOperations;

/** `factors` null: none. `from` absent: as soon as is usual. */
export interface FactorWish {
  deployment: string;
  factors: PriceFactors | null;
  from?: number;
  reason?: string;
  /** Nothing is written. */
  dryRun?: boolean;
}

export const fetchFactors = () => get('/api/admin/price-factors', factors.list.reply);
export const setFactors = (wish: FactorWish) => post('/api/admin/price-factors', wish, factors.set.reply);
export const withdrawFactors = (id: string) =>
  post('/api/admin/price-factors/withdraw', { id }, factors.withdraw.reply);

/** One page of what was set, the newest first. */
export async function fetchFactorHistory(after?: string): Promise<{ data: SetFactors[]; next: string | null }> {
  const { factors: data, next } = await get('/api/admin/price-factors/history', factors.history.reply, { after });
  return { data, next };
}
