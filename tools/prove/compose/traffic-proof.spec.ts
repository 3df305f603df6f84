import { sayTraffic } from './traffic-proof';

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
