import { Ledger } from './ledger';
import type { LedgerRow } from './ledger';

const row = (requestId: string, extra: Partial<LedgerRow> = {}): LedgerRow => ({
  requestId,
  answerId: '',
  model: 'm',
  kind: 'generation',
  stream: false,
  state: 'completed',
  status: 200,
  fault: null,
  inputTokens: 2,
  audioInputTokens: 0,
  seen: { image: 0, video: 0 },
  audioOutputTokens: 0,
  answeredBy: null,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  served: [],
  units: {},
  samplings: [],
  outputTokens: 3,
  chunks: 0,
  startedAt: 0,
  endedAt: 0,
  closedByPeerAt: null,
  ...extra,
});

it('keeps the newest rows in order when it is full', () => {
  const ledger = new Ledger(3);
  for (const id of ['a', 'b', 'c', 'd', 'e']) ledger.book(row(id));
  expect(ledger.all().map(({ requestId }) => requestId)).toEqual(['c', 'd', 'e']);
  ledger.clear();
  ledger.book(row('f'));
  expect(ledger.all().map(({ requestId }) => requestId)).toEqual(['f']);
});

it('sums up what rows cost, by model', () => {
  const ledger = new Ledger(10);
  ledger.book(row('a'));
  ledger.book(row('b', { state: 'cut', outputTokens: 1 }));
  ledger.book(row('c', { model: 'k', state: 'refused', inputTokens: 0, outputTokens: 0 }));
  expect(ledger.summary()).toEqual([
    { model: 'k', requests: 1, open: 0, completed: 0, cut: 0, refused: 1, inputTokens: 0, outputTokens: 0 },
    { model: 'm', requests: 2, open: 0, completed: 1, cut: 1, refused: 0, inputTokens: 4, outputTokens: 4 },
  ]);
});
