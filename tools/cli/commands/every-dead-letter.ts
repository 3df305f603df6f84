import { ledgerOperations } from '@tollgate/contracts';
import type { DeadLetter } from '@tollgate/contracts';
import type { Gateway } from '../gateway';

/** A page is read from JetStream letter by letter. */
const pageTimeoutMs = 30_000;

/** All dead letters, the oldest first. */
export async function everyDeadLetter(gateway: Gateway): Promise<DeadLetter[]> {
  const letters: DeadLetter[] = [];
  let after: number | null = 0;
  do {
    const request: { after: number } = { after };
    const page = await gateway.call(ledgerOperations.listDeadLetters, request, { timeoutMs: pageTimeoutMs });
    letters.push(...page.letters);
    after = page.next;
  } while (after !== null);
  return letters;
}
