import type { ProofValues, Say } from '../proof';
import { withStack } from '../with-stack';
import { proveInput } from './prove-input';

export const inputOptions = {
  requests: { type: 'string', default: '100000' },
  lanes: { type: 'string', default: '24' },
  seed: { type: 'string', default: '1' },
} as const;

/** Holds when no hostile request is answered with a 5xx or without the error object, and nothing crashes. */
export function runInput(values: ProofValues<typeof inputOptions>, say: Say): Promise<boolean> {
  return withStack({ durable: false, environment: { LOG_LEVEL: 'warn' } }, async (stack) => {
    const proof = await proveInput(stack, {
      requests: Number(values.requests),
      lanes: Number(values.lanes),
      seed: Number(values.seed),
      onProgress: say,
    });
    for (const problem of proof.crashes) say(`  ${problem}`);
    say(`Answers by status: ${JSON.stringify(proof.byStatus)}`);
    say(
      `${proof.requests} hostile requests to ${proof.endpoints} endpoints in ${proof.seconds.toFixed(0)} s: ` +
        `${proof.faultCount} faults, ${proof.shed} shed for load and answered when asked again, ${proof.crashes.length} crashes or errors of ours (seed ${values.seed})`,
    );
    return proof.faultCount + proof.crashes.length === 0;
  });
}
