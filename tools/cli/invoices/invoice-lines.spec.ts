import { aModel } from '@tollgate/testing';
import { invoiceLines } from './invoice-lines';

const model = aModel({ deployments: [{ id: 'acme/one@acme', provider: 'acme', upstreamModel: 'one-v2' }] });
const read = (csv: string, names = {}) => [...invoiceLines(csv, 'acme', [model], names)];

it('reads quoted cells, models by the name that the provider gives them, and amounts to the last place', () => {
  const csv =
    '\ufeffday,model,kind,usd,quantity,request_id\r\n2026-11-22,one-v2-2026-01-31,"Cached input",$0.000000000001,12,"a ""b"", c"\r\n\n2026-11-22T23:00:00Z,acme/one,output,-1.5,,\n2026-11-23,other,,2e-3,many,\n';
  expect(read(csv)).toEqual([
    [
      '2026-11-22',
      [
        { model: 'acme/one', kind: 'cachedInput', picoUsd: '1', quantity: 12, requestId: 'a "b", c' },
        { model: 'acme/one', kind: 'output', picoUsd: '-1500000000000', quantity: null, requestId: null },
      ],
    ],
    ['2026-11-23', [{ model: 'acme/other', kind: '', picoUsd: '2000000000', quantity: null, requestId: null }]],
  ]);
});

it.each([
  ['Input tokens', 'input'],
  ['output_tokens', 'output'],
  ['Cached input tokens', 'cachedInput'],
  ['cache_write', 'cacheWrite'],
  ['cacheWrite1h', 'cacheWrite1h'],
  ['Storage_GB', 'Storage_GB'],
])('knows what a file means by %s', (words, kind) => {
  expect(read(`day,usd,kind\n2026-11-22,1,${words}`)).toMatchObject([['2026-11-22', [{ kind }]]]);
});

it('takes the names that a file has for its columns', () => {
  expect(read('Date,Cost (USD)\n2026-11-22,1', { day: 'date', usd: 'Cost (USD)' })).toMatchObject([
    ['2026-11-22', [{ model: '', kind: '', picoUsd: '1000000000000' }]],
  ]);
});

it.each([
  ['date,usd\n', /no column day.*there are: date, usd/],
  ['day,usd\n22.11.2026,1', /Line 2: 22\.11\.2026 is no day/],
  ['day,usd\n2026-11-22,1\n2026-11-22,one', /Line 3: one is no amount/],
])('says what it cannot read: %j', (csv, words) => {
  expect(() => read(csv)).toThrow(words);
});
