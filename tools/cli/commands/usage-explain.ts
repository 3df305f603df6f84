import { ledgerOperations, type ExplainedEvent } from '@tollgate/contracts';
import { Command } from 'commander';
import { doubtsInWords, priceDoubts } from '../catalog/price-doubts';
import { Refusal } from '../failure';
import type { Surroundings } from '../gateway';
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
      const known = await priceDoubts(gateway);
      output.show(reply, json, () =>
        reply.events
          .map((explained) => [
            explanation(explained),
            ...doubtsInWords({ ...explained, ...known.get(explained.event.model) }),
          ])
          .map((lines) => lines.join('\n'))
          .join('\n\n'),
      );
      const wrong = reply.events.filter((explained) => !isRight(explained));
      if (wrong.length > 0)
        throw new Refusal(
          `The charge of ${wrong.map(({ event }) => event.id).join(', ')} is not the stored one: please report this with the output above.`,
        );
    });
}

function isRight({ computedNanoUsd, storedNanoUsd }: ExplainedEvent): boolean {
  return computedNanoUsd === storedNanoUsd;
}
