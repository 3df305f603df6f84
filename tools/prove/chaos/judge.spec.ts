import type { Answer } from './acts';
import { calm, contract } from './contract';
import { judgeAnswers, judgeRecovery, judgeStreams } from './judge';

const answer = (changes: Partial<Answer>): Answer => ({
  act: 'chat',
  seen: 200,
  beganMs: 20,
  hasRetryAfter: false,
  ...changes,
});
const [disturbance] = contract;
if (!disturbance) throw new Error('The contract is empty.');
const unavailable = { statuses: [503], withinMs: 1_000 };

it('declares every cell of at least sixty', () => {
  expect(contract.length * Object.keys(calm).length).toBeGreaterThanOrEqual(60);
  for (const { expected } of contract) expect(Object.keys(expected)).toEqual(Object.keys(calm));
  for (const { part, expected } of contract)
    if (part !== 'provider')
      for (const { withinMs } of Object.values(expected)) expect(withinMs).toBeLessThanOrEqual(5_000);
});

it('is green when every answer is as declared, and shows each thing seen once', () => {
  const answers = [answer({}), answer({ beganMs: 90 })];
  expect(judgeAnswers(answers, calm.chat)).toEqual({ seen: [200], slowestMs: 90, problems: [] });
});

it.each([
  ['another status', answer({ seen: 500 })],
  ['a hang', answer({ seen: 'hung' })],
  ['an answer that came late', answer({ seen: 503, beganMs: 1_001, hasRetryAfter: true })],
  ['a 503 that does not say when to come again', answer({ seen: 503 })],
])('is red for %s', (_what, seen) => {
  expect(judgeAnswers([seen], unavailable).problems).toHaveLength(1);
});

it('is red when nothing was seen', () => {
  expect(judgeAnswers([], calm.chat).problems).toHaveLength(1);
});

it('does not ask /readyz for Retry-After', () => {
  expect(judgeAnswers([answer({ act: 'readyz', seen: 503 })], unavailable).problems).toEqual([]);
});

it('is red for a stream that is silently short, and for a recovery that is late or never', () => {
  expect(judgeStreams(['whole', 'short'], disturbance).problems).toHaveLength(1);
  expect(judgeStreams(['whole'], disturbance).problems).toEqual([]);
  expect(judgeRecovery({ act: 'chat', afterMs: 4_900 }, disturbance).problems).toEqual([]);
  expect(judgeRecovery({ act: 'chat', afterMs: 5_100 }, disturbance).problems).toHaveLength(1);
  expect(judgeRecovery({ act: 'chat', afterMs: null }, disturbance).problems).toHaveLength(1);
});
