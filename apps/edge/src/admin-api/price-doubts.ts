import { ledgerOperations, reportOperations, type Operation, type PriceDoubt } from '@tollgate/contracts';
import type { z } from 'zod';
import type { ModelCatalog } from '../catalog/model-catalog';

type DoubtOf = (model: string) => PriceDoubt;
type Told = (reply: unknown, doubtOf: DoubtOf) => object;

function told<Reply extends z.ZodType>(
  { subject, reply }: Pick<Operation<z.ZodType, Reply>, 'subject' | 'reply'>,
  tell: (reply: z.output<Reply>, doubtOf: DoubtOf) => object,
): [string, Told] {
  return [subject, (answer, doubtOf) => tell(reply.parse(answer), doubtOf)];
}

/** Replies with costs of single models, by the subject of what is asked. */
const withCosts: ReadonlyMap<string, Told> = new Map([
  told(reportOperations.listRequests, ({ requests, ...rest }, doubtOf) => {
    return { requests: requests.map((request) => ({ ...request, ...doubtOf(request.model) })), ...rest };
  }),
  told(reportOperations.series, ({ lines, ...rest }, doubtOf) => {
    return { ...rest, lines: lines.map((line) => ({ ...line, ...doubtOf(line.name) })) };
  }),
  told(ledgerOperations.explain, ({ events }, doubtOf) => {
    return { events: events.map((explained) => ({ ...explained, ...doubtOf(explained.event.model) })) };
  }),
]);

/**
 * A reply with what the catalog doubts of the price behind each cost of one model in it. Lines of a series
 * that are named by something else, and models that the catalog has no more, are without it.
 */
export function withPriceDoubts(subject: string, reply: unknown, catalog: ModelCatalog): unknown {
  return withCosts.get(subject)?.(reply, (model) => doubtOf(catalog, model)) ?? reply;
}

function doubtOf(catalog: ModelCatalog, model: string): PriceDoubt {
  const standing = catalog.priceStanding(model);
  if (!standing) return {};
  return { priceUnconfirmed: standing.unconfirmed, pricesOldSince: standing.old ? standing.day : null };
}
