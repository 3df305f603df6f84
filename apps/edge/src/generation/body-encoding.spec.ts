import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { FairMemory } from '@tollgate/messaging';
import { checkContentType } from './body-encoding';
import { readBody } from './read-body';

const create = jest.fn((_options: { params?: Record<number, number> }) => new PassThrough());
jest.mock('node:zlib', (): object => ({
  ...jest.requireActual<object>('node:zlib'),
  // As Node has it since 22.15, where this runs on an older one.
  createZstdDecompress: (options: { params?: Record<number, number> }) => create(options),
}));

/** https://github.com/facebook/zstd/blob/v1.5.7/lib/zstd.h: ZSTD_d_windowLogMax */
const windowLogMax = 100;

it('asks for no more memory for a body of zstd than HTTP allows it, whatever its header says', async () => {
  const stream = new PassThrough();
  const request = Object.assign(stream, { headers: { 'content-encoding': 'zstd' } }) as unknown as IncomingMessage;
  const room = { limit: 100, memory: new FairMemory(1_048_576), owner: { keyId: 'key', accountId: 'account' } };
  const body = readBody(request, room);
  stream.end('{}');
  expect((await body).bytes.toString()).toBe('{}');
  expect(create.mock.calls).toMatchObject([[{ params: { [windowLogMax]: 23 } }]]);
});

describe('type and encoding of a body', () => {
  it.each(['application/json', 'Application/JSON; charset=utf-8', 'application/vnd.api+json'])('%s is JSON', (type) => {
    expect(() => checkContentType({ 'content-type': type })).not.toThrow();
  });

  it.each([{}, { 'content-type': 'text/json' }, { 'content-type': 'application/jsonp' }, { 'content-type': '' }])(
    '%j is not',
    (headers) => {
      expect(() => checkContentType(headers)).toThrow('Content-Type');
    },
  );

  it.each(['gzip', 'br', 'BR', 'identity', ''])('takes a body in the encoding %j', (encoding) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
    expect(() => checkContentType(headers)).not.toThrow();
  });

  it('takes zstd on every Node where there are threads for it', () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'zstd' };
    expect(() => checkContentType(headers, true)).not.toThrow();
    const other = { ...headers, 'content-encoding': 'deflate' };
    expect(() => checkContentType(other, true)).toThrow('gzip, br, zstd.');
  });

  it.each(['deflate', 'gzip, br', 'toString'])('refuses the encoding %j, and names those it takes', (encoding) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
    expect(() => checkContentType(headers)).toThrow(/Content-Encoding.*gzip, br/);
  });
});
