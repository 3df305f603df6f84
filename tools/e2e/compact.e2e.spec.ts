import { ledgerOperations, meteringOperations } from '@tollgate/contracts/metering';
import { eventually } from '@tollgate/testing';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { workspaceRoot } from '../stack/workspace-root';
import { ChatCaller } from './chat-caller';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

const program = join(workspaceRoot, 'dist', 'apps', 'records', 'main.js');
const model = 'openai/gpt-5.4-mini';
let test: TestStack;

beforeAll(async () => (test = await startTestStack({ layout: 'compact', prepared: undefined })));
afterAll(() => (test as typeof test | undefined)?.stop());

async function caller(name: string): Promise<{ caller: ChatCaller; keyId: string }> {
  const { apiKey, key } = await test.stack.createKey({ name, plan: 'enterprise', rpm: null, quotaTokens: null });
  return { caller: new ChatCaller(test.stack.baseUrl, apiKey, name), keyId: key.id };
}

it('runs accounts, catalog and metering in one process, answers a completion and meters it', async () => {
  const { stack } = test;
  expect([...stack.processes.keys()].sort()).toEqual(['edge', 'inference', 'nats', 'postgres', 'records', 'sandbox']);
  const { caller: asker } = await caller('whole');
  const { state, requestId } = await asker.ask({ model, stream: true });
  expect(state).toBe('complete');
  const explained = await eventually(
    () => stack.call(ledgerOperations.explain, { id: requestId }).catch(() => null),
    (reply) => reply !== null,
  );
  expect(explained?.events).toHaveLength(1);
});

it('has a Postgres for little memory', async () => {
  const client = new Client({ connectionString: test.stack.databaseUrl });
  await client.connect();
  const { rows } = await client.query('SHOW shared_buffers');
  await client.end();
  expect(rows).toEqual([{ shared_buffers: '16MB' }]);
});

it('says of each of its services by itself that it is ready', async () => {
  const { internalUrls } = test.stack.process('records');
  expect(internalUrls).toHaveLength(3);
  const answers = await Promise.all(internalUrls.map((url) => fetch(`${url}/readyz`)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
});

it('is told to stop under load: every request is answered, and every one is in the ledger', async () => {
  const { stack } = test;
  const { caller: asker, keyId } = await caller('drained');
  const answers: ReturnType<typeof asker.ask>[] = [];
  const isBack = new AbortController();
  const load = (async () => {
    while (!isBack.signal.aborted || answers.length < 30) {
      answers.push(asker.ask({ model, stream: answers.length % 2 === 0 }));
      await Promise.allSettled(answers.slice(-4, -3));
    }
  })();
  await eventually(async () => answers.length >= 10);
  await stack.process('records').restart();
  isBack.abort();
  await load;
  const seen = await Promise.all(answers);
  expect(seen.filter(({ state }) => state !== 'complete')).toEqual([]);
  const counted = await eventually(
    () => stack.call(meteringOperations.recount, { keyId }),
    ({ events }) => events >= seen.length,
  );
  expect(counted).toMatchObject({ events: seen.length, differences: [] });
  const log = readFileSync(stack.process('records').logFile, 'utf8');
  expect(log).not.toContain('could not be finished or closed');
}, 180_000);

it('names at once what is wrong with the settings of each of its services, and does not start', async () => {
  const environment = { PATH: process.env.PATH, NATS_URL: 'nats://127.0.0.1:1', METERING_RETENTION_MONTHS: '1' };
  const run = promisify(execFile)(process.execPath, [program], { env: environment });
  const { code, stderr } = (await run.catch((error: unknown) => error)) as { code: number; stderr: string };
  expect(code).toBe(1);
  expect(stderr).toMatch(/TOLLGATE_KEY_PEPPER: is required/);
  expect(stderr).toMatch(/METERING_RETENTION_MONTHS: must be at least 2/);
  expect(stderr.match(/DATABASE_URL: is required/g)).toHaveLength(3);
});
