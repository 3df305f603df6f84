import { decimalFromNanoUsd } from '@tollgate/contracts';
import { invoicedInWords } from './invoiced';
import type { LedgerProof } from './prove-ledger';
import { toldInWords } from './told-charges';

const mostProblems = 40;

/** The proof as a text for people. */
export function ledgerReport(proof: LedgerProof): string {
  const { reconciliation: all, outcomes, strikes } = proof;
  const problems = [...all.problems, ...proof.wrongAnswers, ...proof.wrongSums, ...proof.wrongTold];
  const reserved =
    proof.reservedUntilMs === null
      ? 'tokens were still reserved two minutes after the load'
      : `no token was reserved any more ${(proof.reservedUntilMs / 1_000).toFixed(1)} s after the load`;
  return [
    '',
    `Models: ${proof.models.join(', ')} (seed ${proof.seed})`,
    `Struck ${strikes.length} times: ${countStrikes(strikes)}`,
    `Callers: ${all.requests} requests; ${outcomes.complete} whole answers, ${outcomes.failed} visibly failed, ${outcomes.left} left, ${outcomes.silent} silently short`,
    '',
    row(['', 'provider', 'ledger', 'difference']),
    row(['requests', all.booked, all.events - all.unbooked, all.events - all.unbooked - all.booked]),
    row([
      'input tokens',
      all.inputTokens.booked,
      all.inputTokens.billed,
      all.inputTokens.billed - all.inputTokens.booked,
    ]),
    row([
      'output tokens',
      all.outputTokens.booked,
      all.outputTokens.billed,
      all.outputTokens.billed - all.outputTokens.booked,
    ]),
    row([
      'US dollars',
      decimalFromNanoUsd(all.nanoUsd.expected),
      decimalFromNanoUsd(all.nanoUsd.billed),
      decimalFromNanoUsd(all.nanoUsd.billed - all.nanoUsd.expected),
    ]),
    `  ${all.estimated} events are estimated: their answers were cut off before the provider told its usage, so their input is the tokenizer’s count (and not in the sum above).`,
    `  ${invoicedInWords(all.invoiced)}`,
    `  ${toldInWords(proof.told)}`,
    `  ${all.unpriced} events were served in a way that is sold by contract alone: the provider's sheet has no price for it, and the ledger none either.`,
    `  ${all.free.events} requests failed without an answer and cost their callers nothing; their input at the provider is ${all.free.inputTokens} tokens (not in the sum above). Of ${all.thrownAway} a reset threw away what had been written.`,
    `  ${all.unbooked} more events are of requests that were cut off on their way to the provider, and cost nothing.`,
    `  ${all.reportedByEdge} events were reported by edge, for instances that died; ${all.untold} whose edge died, too, cost nothing.`,
    `  ${reserved}; ${proof.unsettledLeases} leases of killed edges are listed by the sweep; ${proof.deadLetters} dead letters; ${proof.pendingEvents} messages of usage wait in JetStream.`,
    ...problems.slice(0, mostProblems).map((problem) => `  ${problem}`),
    ...(problems.length > mostProblems ? [`  … and ${problems.length - mostProblems} more`] : []),
    '',
    proof.holds
      ? 'Proved: nothing lost, nothing double, tokens and nano-dollars equal, no answer silently short.'
      : `NOT proved: ${problems.length} disagreements.`,
  ].join('\n');
}

function countStrikes(strikes: LedgerProof['strikes']): string {
  const counts = new Map<string, number>();
  for (const { action, victim } of strikes) {
    const name = `${action} ${victim.replace(/-\d+$/, '')}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

function row([name = '', ...values]: (string | number)[]): string {
  return `  ${String(name).padEnd(16)} ${values.map((value) => String(value).padStart(18)).join(' ')}`;
}
