import { sayBilled, sayTraffic } from './traffic-proof';

it('says how much went on, or how often callers saw what, the most frequent first', () => {
  expect(sayTraffic({ requests: 20, streams: 10, failed: [] })).toBe(
    '20 requests meanwhile, 10 of them streams, 0 failed',
  );
  const failed = [
    { id: 'r1', what: 'silent, ended' },
    { id: 'r2', what: 'failed, 429' },
    { id: 'r7', what: 'failed, 429' },
  ];
  expect(() => sayTraffic({ requests: 20, streams: 10, failed })).toThrow(
    '3 of 20 requests failed:\n2 x failed, 429 (the first r2, the last r7)\n1 x silent, ended (the first r1, the last r1)',
  );
  expect(() => sayTraffic({ requests: 0, streams: 0, failed: [] })).toThrow('no request was sent');
});

it('finds every answer in the ledger once, and what failed at most once', () => {
  const sent = [
    { requests: 20, streams: 10, failed: [] },
    { requests: 5, streams: 2, failed: [{ id: 'r1', what: 'failed, 503' }] },
  ];
  for (const events of [24, 25])
    expect(sayBilled(events, sent)).toBe(`${events} events in the ledger, of 25 requests, 1 of them failed`);
  for (const events of [23, 26]) expect(() => sayBilled(events, sent)).toThrow(`${events} events in the ledger`);
});
