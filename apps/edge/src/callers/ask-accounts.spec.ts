import { ControlError } from '@tollgate/contracts';
import { NatsLostError } from '../connected-control-client';
import { askAccounts } from './ask-accounts';

const away = new ControlError('unavailable', 'The database of accounts does not answer.');
const found = { key: null, revision: 3 };

/** Accounts that takes a second for each of these answers, and gives the last one from then on. */
function accounts(...answers: (Error | typeof found)[]) {
  const warned: unknown[] = [];
  let calls = 0;
  let nowMs = 0;
  const call = async () => {
    const answer = answers[Math.min(calls, answers.length - 1)];
    calls += 1;
    nowMs += 1_000;
    if (answer instanceof Error) throw answer;
    return answer as never;
  };
  const clock = {
    monotonicMs: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms;
    },
  };
  const ask = askAccounts({ call }, clock, { warn: (told: unknown) => void warned.push(told) });
  return { ask, warned, calls: () => calls };
}

it('asks again while the database of accounts is away, for as long as accounts itself might be', async () => {
  const { ask, warned, calls } = accounts(away, away, found);
  await expect(ask('d', [], { timeoutMs: 5_000 })).resolves.toEqual(found);
  expect([calls(), warned]).toEqual([3, []]);
});

it('gives up in time, each answer taking as long as the one before', async () => {
  const { ask, calls } = accounts(away);
  await expect(ask('d', [], { timeoutMs: 5_000 })).rejects.toBe(away);
  expect(calls()).toBe(4);
});

it('says it at once where NATS is away', async () => {
  const { ask, calls } = accounts(new NatsLostError(), found);
  await expect(ask('d', [], { timeoutMs: 5_000 })).rejects.toBeInstanceOf(NatsLostError);
  expect(calls()).toBe(1);
});

it('says it at once where a known key can go on meanwhile', async () => {
  const { ask, calls } = accounts(away, found);
  await expect(ask('d', [], { timeoutMs: 900, absentMs: 0 })).rejects.toBe(away);
  expect(calls()).toBe(1);
});

it('asks once where accounts refuses for another reason, and logs the first failure of a row', async () => {
  const refusal = new ControlError('internal', 'no answer that can be read');
  const { ask, warned, calls } = accounts(refusal, refusal, found, refusal);
  for (const answer of [refusal, refusal, found, refusal])
    expect(await ask('d', [], { timeoutMs: 5_000 }).catch((error: unknown) => error)).toBe(answer);
  expect(calls()).toBe(4);
  expect(warned).toEqual([{ err: refusal }, { err: refusal }]);
});
