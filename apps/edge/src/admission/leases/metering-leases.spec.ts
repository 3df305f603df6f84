import { ControlError } from '@tollgate/contracts';
import type { ControlClient } from '@tollgate/messaging';
import { MeteringLeases } from './metering-leases';

/** A metering that answers after so long; nobody waits for it really. */
function meteringThatTakes(answerMs: number): MeteringLeases {
  const call = (_operation: unknown, _request: unknown, { timeoutMs = 0 } = {}): Promise<unknown> =>
    timeoutMs >= answerMs
      ? Promise.resolve({ grantedNanoUsd: '1', ttlMs: 60_000, state: null, leaves: [] })
      : Promise.reject(new ControlError('unavailable', `no answer within ${timeoutMs} ms`));
  const control: Pick<ControlClient, 'call'> = { call: call as ControlClient['call'] };
  return new MeteringLeases(control, { edgeId: 'edge' });
}

const asked = { budgetId: 'b', leaseId: 'l', sequence: 1, nanoUsd: '1', leastNanoUsd: '1' };

describe('MeteringLeases', () => {
  it('waits for budgets as long as a busy machine takes for many, since a request is refused without them', async () =>
    expect(await meteringThatTakes(3_000).acquireBudget(asked)).toMatchObject({ grantedNanoUsd: '1' }));

  it('waits for none for so long that an answer would begin after the five seconds that are promised', () =>
    expect(meteringThatTakes(4_900).acquireBudget(asked)).rejects.toThrow('no answer within'));
});
