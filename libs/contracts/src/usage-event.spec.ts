import { attempt, isOnOwnKey, notCharged, noUsage, usageEventOf } from './usage-event';
import type { UsageOutcome } from './usage-event';

const request = {
  kind: 'generate' as const,
  includeUsage: false,
  traceparent: null,
  eventId: 'e1',
  requestId: 'r1',
  keyId: 'k1',
  accountId: 'a1',
  requestedModel: 'mini',
  model: 'openai/gpt-5.4-mini',
  surface: 'openai-chat' as const,
  startedAt: 1_000,
  deadlineAt: 9_000,
  path: null,
  query: null,
  headers: {},
};
const outcome: UsageOutcome = {
  model: 'openai/gpt-5.4-mini',
  state: 'completed',
  status: 200,
  estimated: false,
  usage: noUsage,
  attempts: [],
  firstTokenAt: 1_250,
  endedAt: 2_000,
  lease: null,
  reportedBy: 'inference',
};

it.each([
  ['streamed', true, 1_250],
  ['in one piece', false, null],
])('an answer that came %s has its first token at the right time, or none', (_how, stream, firstTokenAt) =>
  expect(usageEventOf({ ...request, stream }, outcome)).toMatchObject({ id: 'e1', stream, firstTokenAt }),
);

it('what is not charged keeps what decides its price on the bill of the provider, and no mark-up', () => {
  const attempts = [{ deployment: 'd', provider: 'p', status: 200, error: 'unfinished_answer', latencyMs: 1 }];
  const served = { tier: 'priority', units: { webSearch: 2 }, discount: '0.15', markup: '0.2', toldNanoUsd: '5' };
  const usage = { ...noUsage, input: 900, output: 3, cachedInput: 800, cacheWrite1h: 50, served };
  const [kept] = notCharged({ ...outcome, estimated: false, usage, attempts }).attempts;
  const terms = { tier: 'priority', units: { webSearch: 2 }, discount: '0.15' };
  expect(kept?.unbilled).toEqual({ input: 900, output: 3, cachedInput: 800, cacheWrite1h: 50, served: terms });
  expect(attempt.parse(kept)).toEqual(kept);
});

it('what is not charged keeps the kinds of tokens that have rates of their own, and uses of tools without a token', () => {
  const attempts = [{ deployment: 'd', provider: 'p', status: 200, error: 'empty_answer', latencyMs: 1 }];
  const unbilledOf = (usage: UsageOutcome['usage']) => notCharged({ ...outcome, usage, attempts }).attempts[0];
  const spoken = { input: 40, output: 30, reasoning: 7, audioInput: 20, audioOutput: 11 };
  const kept = unbilledOf({ ...noUsage, ...spoken });
  expect(kept?.unbilled).toEqual(spoken);
  expect(attempt.parse(kept)).toEqual(kept);
  const searched = { units: { webSearch: 1 } };
  expect(unbilledOf({ ...noUsage, served: searched })?.unbilled).toEqual({ input: 0, output: 0, served: searched });
  expect(unbilledOf({ ...noUsage, served: { units: { webSearch: 0 }, discount: '0.1' } })).toEqual(attempts[0]);
});

it('what is not charged stands at the last attempt, beside what stands at those before it', () => {
  const tried = { deployment: 'd', provider: 'p', status: null, error: 'connection_lost', latencyMs: 1 };
  const attempts = [{ ...tried, unbilled: { input: 5, output: 2 } }, tried];
  const usage = { ...noUsage, input: 7 };
  const { attempts: kept, ...free } = notCharged({ ...outcome, estimated: true, usage, attempts });
  expect(free.usage).toEqual(noUsage);
  expect(kept.map(({ unbilled }) => unbilled)).toEqual([
    { input: 5, output: 2 },
    { input: 7, output: 0, estimated: true },
  ]);
  // As a service of a release without the mark wrote it.
  expect(attempt.parse(kept[0])).toEqual(kept[0]);
});

it('what went with keys of its account says so in each attempt, and nothing of what the operator may be charged', () => {
  const tried = { deployment: 'd', provider: 'p', status: 200, error: null, latencyMs: 1 };
  const attempts = [{ ...tried, unbilled: { input: 5, output: 2 } }, tried];
  const asked = { ...request, stream: false };
  const own = usageEventOf({ ...asked, ownKeys: { p: 'sealed' } }, { ...outcome, attempts });
  const marked = { ...tried, ownKey: true };
  expect([own.attempts, isOnOwnKey(own)]).toEqual([[marked, marked], true]);
  expect(JSON.stringify(own)).not.toContain('sealed');
  const usual = usageEventOf(asked, { ...outcome, attempts });
  expect([usual.attempts, isOnOwnKey(usual), isOnOwnKey({ attempts: [] })]).toEqual([attempts, false, false]);
});
