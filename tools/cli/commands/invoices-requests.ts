import { decimalFromPicoUsd, invoiceOperations } from '@tollgate/contracts';
import type { DriftRequest } from '@tollgate/contracts';
import { Command } from 'commander';
import type { Surroundings } from '../gateway';
import { table } from '../text/table';
import { instant, limit } from '../text/values';

/** All events of a day are read. */
const timeoutMs = 600_000;

const reasons: Record<DriftRequest['reason'], string> = {
  amount: 'billed otherwise',
  'unknown-here': 'billed, not known here',
  'not-billed': 'not billed',
  minute: 'in a minute with other tokens',
  line: 'in the line',
};

/** `invoices requests`: names the requests behind a line of `reconcile`. */
export function invoicesRequests({ gateway, output }: Surroundings): Command {
  return new Command('requests')
    .description('name the requests behind a line that tollgate reconcile shows')
    .argument('<provider>')
    .argument('<day>')
    .argument('<model>', 'as reconcile shows it; "" where it shows none')
    .argument('<kind>', 'as reconcile shows it; "" where it shows none')
    .option('--json', 'print JSON')
    .action(async (provider: string, day: string, model: string, kind: string, { json }: { json?: boolean }) => {
      const reply = await gateway.call(invoiceOperations.requests, { provider, day, model, kind }, { timeoutMs });
      output.show(reply, json, () => {
        const { requests, count } = reply;
        if (count === 0) return 'No request is behind this line.';
        const rows = requests.map((each) => [
          each.eventId ?? 'none',
          each.requestId,
          instant(each.at),
          reasons[each.reason],
          dollars(each.billedPicoUsd),
          dollars(each.ratedPicoUsd),
          dollars(each.estimatedPicoUsd),
        ]);
        const more = count > requests.length ? `\n… and ${limit(count - requests.length)} more` : '';
        return `${table(['event', 'request', 'began', 'why', 'billed', 'ours', 'perhaps'], rows)}${more}`;
      });
    });
}

function dollars(picos: string | null): string {
  return picos === null ? 'not told' : `$${decimalFromPicoUsd(BigInt(picos))}`;
}
