import { noUsage } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import type { ExplainedEvent } from '@tollgate/contracts/metering';
import { explanation } from './explanation';

const event: UsageEvent = {
  ...{ id: 'e', requestId: 'r', keyId: 'k', accountId: 'a', requestedModel: 'm', model: 'm', surface: 'openai-chat' },
  ...{
    stream: false,
    state: 'completed',
    status: 200,
    estimated: false,
    attempts: [],
    startedAt: 0,
    firstTokenAt: null,
  },
  ...{ endedAt: 1, lease: 'lease-1', reportedBy: 'inference', usage: { ...noUsage, input: 30, output: 12 } },
};
const explained = (changes: Partial<UsageEvent>): ExplainedEvent => ({
  ...{ event: { ...event, ...changes }, price: null, aboveInputTokens: null, hours: null, lines: [] },
  ...{ computedNanoUsd: null, storedNanoUsd: null, budgets: [] },
});

it.each<[string, Partial<UsageEvent>]>([
  ['1,000 tokens reserved from the lease lease-1, 42 used, 958 released', { reserved: 1_000 }],
  ['40 tokens reserved from the lease lease-1, 42 used, 2 more than was reserved', { reserved: 40 }],
  ['1,000 tokens reserved while metering was away, 42 used, 958 released', { reserved: 1_000, lease: null }],
  ['reserved from the lease lease-1', {}],
  ['nothing reserved', { lease: null }],
])('tells of the quota: %s', (told, changes) => {
  expect(explanation(explained(changes))).toContain(told);
});

it.each<[string, Partial<ExplainedEvent['budgets'][number]>]>([
  ['"team": $0.01 reserved, $0.0042 spent, $0.0058 released', {}],
  ['"team": $0.01 reserved, $0.012 spent, $0.002 more than was reserved', { spentNanoUsd: '12000000' }],
  ['b-1, which was removed: $0.01 reserved', { name: null, spentNanoUsd: null }],
  [
    '"team": 500 tokens reserved, 120 tokens spent, 380 tokens released',
    { unit: 'tokens', heldNanoUsd: '500', spentNanoUsd: '120' },
  ],
])('tells of a budget: %s', (told, changes) => {
  const amounts = { heldNanoUsd: '10000000', spentNanoUsd: '4200000' };
  const held = { budgetId: 'b-1', name: 'team', unit: 'usd' as const, ...amounts, ...changes };
  const facts = explanation({ ...explained({}), budgets: [held] }).split('\n');
  expect(facts.map((line) => line.trim().replace(/^budget +/, ''))).toContain(told);
});

it('tells which hours of the day are in the rates', () => {
  const hours = { days: [1, 2, 3, 4, 5], from: '01:00', to: '04:00', except: [], factor: '2' };
  const price = { id: 'p', source: 'a page', validFrom: 0, validTo: null };
  expect(explanation({ ...explained({}), price, hours })).toContain('rates 2 × at 01:00–04:00 UTC on Mon–Fri');
  expect(explanation({ ...explained({}), price })).not.toContain('UTC on');
});

it('tells apart what a provider may charge for an attempt whose caller does not pay', () => {
  const tried = { provider: 'acme', deployment: 'd', status: 500, error: 'http_500', latencyMs: 1 };
  const attempts = [{ ...tried, unbilled: { input: 1_200, output: 3 } }, tried];
  const lines = explanation(explained({ attempts })).split('\n');
  expect(lines.filter((line) => line.includes('http_500'))).toEqual([
    expect.stringMatching(/1,200 in, 3 out, not charged on$/),
    expect.stringMatching(/30 in, 12 out$/),
  ]);
});

it('says of an attempt that nobody pays when a tokenizer counted it', () => {
  const tried = { provider: 'acme', deployment: 'd', status: null, error: 'outrun', latencyMs: 1 };
  const attempts = [{ ...tried, unbilled: { input: 7, output: 0, estimated: true as const } }];
  expect(explanation(explained({ attempts }))).toContain('7 in, 0 out, estimated, not charged on');
});

it('has no sum of lines of which one has no price', () => {
  const price = { id: 'p', source: 'a page', validFrom: 0, validTo: null };
  const priced = { kind: 'input', tokens: 30, ratePicoUsd: '1000000', amountPicoUsd: '30000000' } as const;
  const unpriced = { kind: 'output', tokens: 12, ratePicoUsd: null, amountPicoUsd: null } as const;
  const sumOf = (lines: ExplainedEvent['lines']) =>
    explanation({ ...explained({}), price, lines })
      .split('\n')
      .find((line) => line.startsWith('sum'));
  expect(sumOf([priced])).toMatch(/\$0\.00003$/);
  expect(sumOf([priced, unpriced])).toMatch(/unknown$/);
});
