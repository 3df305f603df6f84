import { catalogOperations, ControlError, hasOldPrices, ledgerOperations } from '@tollgate/contracts';
import type { CatalogModel, CatalogSnapshot, ExplainedEvent } from '@tollgate/contracts';
import { Command } from 'commander';
import { NotInAdminApi, Refusal } from '../failure';
import type { Gateway, Surroundings } from '../gateway';
import { explanation } from '../text/explanation';

/** A request id that a caller chose is looked for among a month of events. */
const explainTimeoutMs = 600_000;

/**
 * `usage explain`: works the charge of an event out again, line by line.
 * @throws Refusal when it is not the stored one, so that a script notices.
 */
export function usageExplain({ gateway, output }: Surroundings): Command {
  return new Command('explain')
    .description('show how a charge came about: each kind of token at its rate, and the attempts behind it')
    .argument('<event or request id>', 'an event id, or the x-request-id of an answer')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const reply = await gateway.call(ledgerOperations.explain, { id }, { timeoutMs: explainTimeoutMs });
      const { models, pricesOldAfterDays } = await catalogOf(gateway);
      output.show(reply, json, () =>
        reply.events
          .map((explained) => {
            const priced = models.filter(({ id }) => id === explained.event.model);
            return [explanation(explained), ...priced.flatMap((model) => doubts(model, pricesOldAfterDays))].join('\n');
          })
          .join('\n\n'),
      );
      const wrong = reply.events.filter((explained) => !isRight(explained));
      if (wrong.length > 0)
        throw new Refusal(
          `The charge of ${wrong.map(({ event }) => event.id).join(', ')} is not the stored one: please report this with the output above.`,
        );
    });
}

/**
 * What is known of models and their prices. Over HTTP nothing is told of them, and while catalog is away
 * nobody tells: a charge has no doubts then.
 */
export async function catalogOf(gateway: Gateway): Promise<Pick<CatalogSnapshot, 'models' | 'pricesOldAfterDays'>> {
  try {
    return await gateway.call(catalogOperations.snapshot, {});
  } catch (error) {
    const isAway = error instanceof ControlError && error.code === 'unavailable';
    if (isAway || error instanceof NotInAdminApi) return { models: [], pricesOldAfterDays: 0 };
    throw error;
  }
}

/** Why the price behind a charge may be another, in sentences. */
function doubts(model: CatalogModel, oldAfterDays: number): string[] {
  const isOld = hasOldPrices(model, oldAfterDays, Date.now());
  return [
    ...(isOld
      ? [
          `The prices of this model were last taken from their source on ${model.pricesAsOf}: compare them with tollgate prices update.`,
        ]
      : []),
    ...(model.priceUnconfirmed
      ? ['The price of this model is unconfirmed: sources disagree on it, or it has parts that are not shown.']
      : []),
  ];
}

function isRight({ computedNanoUsd, storedNanoUsd }: ExplainedEvent): boolean {
  return computedNanoUsd === storedNanoUsd;
}
