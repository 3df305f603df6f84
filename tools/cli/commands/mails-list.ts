import { peopleOperations, type Mail } from '@tollgate/contracts/accounts';
import { Command } from 'commander';
import { readPageSize } from '../arguments/arguments';
import type { MakeCommand, Surroundings } from '../gateway';
import { facts, printable } from '../text/table';
import { instant } from '../text/values';

export const commands: readonly MakeCommand[] = [mailsList];

const mostMails = 500;

/**
 * `mails list`: what was written to people, the newest first; without a mail server, what would have been
 * sent.
 */
function mailsList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description('show the newest mails to people; without a mail server, what would have been sent')
    .option('--limit <number>', 'how many', readPageSize(mostMails), 20)
    .option('--json', 'print JSON')
    .action(async ({ limit, json }: { limit: number; json?: boolean }) => {
      const { mails } = await gateway.call(peopleOperations.listMails, { limit });
      output.show({ mails }, json, () => (mails.length === 0 ? 'There are no mails.' : mails.map(text).join('\n\n')));
    });
}

function text({ recipient, subject, body, createdAt, sentAt, problem }: Mail): string {
  const head = facts([
    ['to', recipient],
    ['subject', subject],
    ['written', instant(createdAt)],
    ['sent', sentAt === null ? (problem ?? 'no') : instant(sentAt)],
  ]);
  const lines = body.trimEnd().split('\n').map(printable);
  return body === '' ? head : `${head}\n\n${lines.join('\n')}`;
}
