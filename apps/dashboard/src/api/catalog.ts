import { useQuery } from '@tanstack/react-query';
import { z } from 'zod/mini';
import { get } from './client';

/** The live list; it changes when a provider's credentials come or go. */
export const useCatalog = () => useQuery({ queryKey: ['catalog'], queryFn: fetchCatalog, staleTime: 60_000 });

const usdPerMillion = z.optional(z.nullable(z.string()));
const hours = z.object({
  days: z.array(z.number()),
  from: z.string(),
  to: z.string(),
  except: z.array(z.string()),
  factor: z.string(),
});

const rates = z.object({
  input: usdPerMillion,
  output: usdPerMillion,
  cachedInput: usdPerMillion,
  cacheWrite: usdPerMillion,
});
/** Rates of requests that are served in another way than usual: the usual ones times `factor`, or `rates`. */
const served = z.object({
  on: z.string(),
  value: z.string(),
  factor: z.nullable(z.string()),
  rates: z.nullable(rates),
});

/** `pricing` null: the price is not known, which is not free. Its rates are US dollars per million tokens. */
export const listedModel = z.object({
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  providerName: z.string(),
  kind: z.string(),
  status: z.string(),
  contextWindow: z.nullable(z.number()),
  maxOutputTokens: z.nullable(z.number()),
  inputModalities: z.array(z.string()),
  outputModalities: z.array(z.string()),
  capabilities: z.record(z.string(), z.boolean()),
  pricing: z.nullable(
    z.extend(rates, {
      longContext: z.optional(z.array(z.extend(rates, { aboveInputTokens: z.number() }))),
      served: z.optional(z.array(served)),
      hours: z.optional(z.array(hours)),
      unconfirmed: z.optional(z.boolean()),
      asOf: z.optional(z.nullable(z.string())),
      old: z.optional(z.boolean()),
    }),
  ),
  retirement: z.optional(
    z.nullable(
      z.object({
        deprecated: z.optional(z.nullable(z.string())),
        date: z.nullable(z.string()),
        successor: z.nullable(z.string()),
        redirects: z.boolean(),
      }),
    ),
  ),
  available: z.boolean(),
  availableWithKeyOf: z.optional(z.array(z.string())),
  simulated: z.boolean(),
});
export type ListedModel = z.infer<typeof listedModel>;

const fetchCatalog = () => get('/api/catalog', z.object({ models: z.array(listedModel), sandbox: z.boolean() }));
