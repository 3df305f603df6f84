import { decimalFromNanoUsd } from '@tollgate/contracts';
import type { ProofValues, Say } from '../proof';
import { withStack, withValkey } from '../with-stack';
import { proveBudgets } from './prove-budgets';

export const budgetsOptions = {
  callers: { type: 'string', default: '500' },
  room: { type: 'string', default: '10' },
  kills: { type: 'string', default: 'edge-2,metering,nats,postgres,metering-2,edge-3' },
  'every-ms': { type: 'string', default: '3000' },
} as const;

/**
 * Holds when the budget was never overspent, equals the report, nothing of it stays held, and it could be
 * spent to the last request.
 */
export function runBudgets(values: ProofValues<typeof budgetsOptions>, onProgress: Say): Promise<boolean> {
  return withValkey((valkey) => {
    const environment = { VALKEY_URL: valkey.url, LOG_LEVEL: 'warn' };
    const instances = { edge: 3, inference: 2, metering: 2 };
    return withStack({ instances, environment }, async (stack) => {
      const proof = await proveBudgets(stack, {
        callers: Number(values.callers),
        room: Number(values.room),
        kills: values.kills.split(',').filter((name) => name !== ''),
        everyMs: Number(values['every-ms']),
        onProgress,
      });
      const { limit, bound, spent, reported, heldUntilMs, isUsable } = proof;
      const [most, each, used, told] = [limit, bound, spent, reported].map(decimalFromNanoUsd);
      const percent = (Number((spent * 10_000n) / limit) / 100).toFixed(2);
      onProgress(`Spent $${used} of $${most}, ${percent} % (at most $${each} a request); the report says $${told}.`);
      if (isUsable === null) onProgress('It was not used up in that time.');
      if (isUsable === false) onProgress('More is left than one request may cost, and more than 2 % of it.');
      onProgress(
        heldUntilMs === null
          ? 'Something is still held after two minutes.'
          : `Nothing is held ${(heldUntilMs / 1_000).toFixed(1)} s after the last request.`,
      );
      onProgress(proof.holds ? 'HOLDS' : 'DOES NOT HOLD');
      return proof.holds;
    });
  });
}
