import { budgetAmount } from '@tollgate/contracts/metering';
import type { ProofValues, Say } from '../proof';
import { withStack, withValkey } from '../with-stack';
import { proveBudgets } from './prove-budgets';

export const budgetsOptions = {
  callers: { type: 'string', default: '500' },
  tokens: { type: 'boolean', default: false },
  project: { type: 'boolean', default: false },
  'end-users': { type: 'string', default: '0' },
  window: { type: 'string' },
  room: { type: 'string', default: '10' },
  kills: { type: 'string', default: 'edge-2,metering,nats,postgres,metering-2,edge-3' },
  'every-ms': { type: 'string', default: '3000' },
} as const;

/**
 * Holds when the budget was never overspent, equals the report, nothing of it stays held, and it could be
 * spent to the last request. With `--tokens` it is in tokens, with `--project` of a project of two keys. With
 * `--window 1h` half of it was spent nearly an hour before, which counts until it leaves the window and is
 * free then.
 */
export function runBudgets(values: ProofValues<typeof budgetsOptions>, onProgress: Say): Promise<boolean> {
  return withValkey((valkey) => {
    const environment = { VALKEY_URL: valkey.url, LOG_LEVEL: 'warn' };
    const instances = { edge: 3, inference: 2, metering: 2 };
    const unit = values.tokens ? 'tokens' : 'usd';
    return withStack({ instances, environment }, async (stack) => {
      const proof = await proveBudgets(stack, {
        callers: Number(values.callers),
        unit,
        isOfProject: values.project,
        endUsers: Number(values['end-users']),
        window: values.window ?? null,
        room: Number(values.room),
        kills: values.kills.split(',').filter((name) => name !== ''),
        everyMs: Number(values['every-ms']),
        onProgress,
      });
      const { limit, bound, spent, reported, heldUntilMs, isUsable, usedUp, over, rolled } = proof;
      const all = spent.reduce((sum, one) => sum + one, 0n);
      const inWords = (amount: bigint) => budgetAmount(unit, amount);
      const [most, each, used, told] = [limit * BigInt(spent.length), bound, all, reported].map(inWords);
      const percents = spent.map((one) => Number((one * 10_000n) / limit) / 100);
      const between = [...new Set([Math.min(...percents), Math.max(...percents)])].map((one) => one.toFixed(2));
      onProgress(
        `Spent ${used} of ${most}, ${between.join(' to ')} % (at most ${each} a request); the report says ${told}.`,
      );
      if (usedUp < spent.length) onProgress(`${usedUp} of ${spent.length} were used up in that time.`);
      if (over > 0n) onProgress(`Spent and held were ${inWords(over)} more than the limit meanwhile.`);
      if (rolled)
        onProgress(
          `${inWords(rolled.earlier)} were spent an hour before: ${rolled.isCounted ? 'counted until they left' : 'NOT counted until they left'}, ${new Date(rolled.leavesAt).toISOString()}.`,
        );
      if (!isUsable) onProgress('More is left than one request may cost, and more than 2 % of it.');
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
