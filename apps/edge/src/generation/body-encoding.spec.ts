import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { FairMemory } from '@tollgate/messaging';
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
