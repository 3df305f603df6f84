import { decimalFromNanoUsd } from '@tollgate/contracts';
import type { Account } from './bill';
import type { CrashProof } from './prove-crash';

/** The proof as a text for people. */
export function crashReport({ drills, streams, expected, billed, differences, holds }: CrashProof): string {
  const { complete, failed, left, violations } = streams;
  const models = [...new Set([...expected, ...billed].map(({ model }) => model))];
  return [
    '',
    'Killed with -9:',
    ...drills.map(
      ({ victim, inFlight, recoveredAfterMs }) =>
        `  ${victim.padEnd(10)} ${String(inFlight).padStart(4)} requests under way, back after ${(recoveredAfterMs / 1000).toFixed(1)} s`,
    ),
    '',
    `Answers: ${complete} complete (text compared), ${failed} visibly failed, ${left} left by their caller, ${violations.length} wrong`,
    ...violations.slice(0, 20).map((violation) => `  ${violation}`),
    '',
    row(['model', '', 'requests', 'input', 'output', 'US dollars']),
    ...models.flatMap((model) => [accountRow('provider', model, expected), accountRow('bill', model, billed)]),
    ...differences.slice(0, 30).map((difference) => `  ${difference}`),
    '',
    holds
      ? 'Proved: no answer was silently short, and the bill equals the provider’s books to the token and the nano-dollar.'
      : 'NOT proved: see above.',
  ].join('\n');
}

function accountRow(witness: string, model: string, accounts: readonly Account[]): string {
  const account = accounts.find((one) => one.model === model);
  if (!account) return row([model, witness, 'none', '', '', '']);
  const { requests, inputTokens, outputTokens, costNanoUsd } = account;
  return row([
    model,
    witness,
    String(requests),
    String(inputTokens),
    String(outputTokens),
    decimalFromNanoUsd(costNanoUsd),
  ]);
}

function row([model = '', witness = '', ...numbers]: string[]): string {
  return `  ${model.padEnd(36)} ${witness.padEnd(9)} ${numbers.map((text) => text.padStart(12)).join(' ')}`;
}
