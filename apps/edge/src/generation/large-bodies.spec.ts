import { createLogger } from '@tollgate/observability';
import { LargeBodies } from './large-bodies';
import { operations } from './operations';

jest.mock('node:worker_threads', () => ({
  Worker: class {
    constructor() {
      throw new Error('ERR_WORKER_INIT_FAILED');
    }
  },
}));

it('refuses a large body for which the system gives no thread, and lives on', async () => {
  const bodies = new LargeBodies(createLogger('test', 'silent'));
  const [operation] = operations;
  if (!operation) throw new Error('there is no operation');
  const body = { operation, key: { id: 'key', quotaTokens: null }, bytes: Buffer.alloc(2) };
  for (let count = 0; count < 3; count += 1)
    await expect(bodies.read(body)).rejects.toMatchObject({ status: 503, retryAfterS: 5 });
  await bodies.onModuleDestroy();
});
