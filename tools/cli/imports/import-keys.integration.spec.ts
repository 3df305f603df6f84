import { presentedKeyDigest } from '@tollgate/contracts';
import { accountsOperations } from '@tollgate/contracts/accounts';
import { budgetOperations } from '@tollgate/contracts/metering';
import { connectToNats, ControlClient } from '@tollgate/messaging';
import type { NatsConnection } from 'nats';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountsPepper, runCommand, startAccountsProcess } from '../accounts-process.fixture';

let folder: string;
let service: Awaited<ReturnType<typeof startAccountsProcess>>;
let connection: NatsConnection;
let control: ControlClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-import-keys-'));
  service = await startAccountsProcess();
  connection = await connectToNats({ url: service.nats.url, name: 'spec' });
  control = new ControlClient(connection);
});
afterAll(async () => {
  await connection.close();
  await service.stop();
  rmSync(folder, { recursive: true });
});

async function importing(command: string, files: Record<string, object>, environment: NodeJS.ProcessEnv = {}) {
  for (const [name, said] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(said));
  const line = `import ${command.replaceAll('@', `${folder}/`)} --write ${join(folder, `${command.length}.yaml`)} --json`;
  const { exitCode, out, error } = await runCommand(line, { NATS_URL: service.nats.url, ...environment });
  expect({ exitCode, error }).toEqual({ exitCode: 0, error: '' });
  return (JSON.parse(out) as { made: object }).made;
}

async function find(apiKey: string) {
  const digest = presentedKeyDigest(apiKey, accountsPepper);
  return (await control.call(accountsOperations.resolveKey, { digest })).key;
}

it('virtual keys of Bifrost are known by what callers send, once however often they come', async () => {
  const config = {
    providers: { gemini: { keys: [{ value: 'env.GEMINI_API_KEY', models: ['*'] }] } },
    governance: {
      virtual_keys: [
        {
          ...{ id: 'a', name: 'platform', value: 'sk-bf-platform', team_id: 't', rate_limit_id: 'r' },
          provider_configs: [{ provider: 'gemini', allowed_models: ['*'] }],
        },
        { id: 'b', name: 'from the environment', value: 'env.VK_B', is_active: false },
      ],
      teams: [{ id: 't', name: 'ML' }],
      budgets: [{ id: 'm', max_limit: 20, reset_duration: '1M', team_id: 't', current_usage: 2.5 }],
      rate_limits: [{ id: 'r', request_max_limit: 30, request_reset_duration: '1m' }],
    },
  };
  const command = () => importing('bifrost @bifrost.json', { 'bifrost.json': config }, { VK_B: 'sk-bf-b' });
  expect(await command()).toEqual({ accounts: 2, people: 0, keys: 2, budgets: 1 });
  expect(await find('sk-bf-platform')).toMatchObject({
    rpm: 30,
    models: ['gemini/*', 'google/*'],
    keyStatus: 'active',
  });
  expect(await find('sk-bf-b')).toMatchObject({ keyStatus: 'revoked' });
  const { budgets } = await control.call(budgetOperations.list, {});
  expect(budgets.map(({ limitNanoUsd, window }) => [limitNanoUsd, window])).toEqual([['20000000000', 'month']]);
  expect(await command()).toEqual({ accounts: 0, people: 0, keys: 0, budgets: 0 });
});

it('keys of OpenRouter are known by what callers send where one of them is known', async () => {
  const hash = createHash('sha256').update('sk-or-v1-one').digest('hex');
  const keys = { data: [{ hash, name: 'app', limit: 10, limit_remaining: 4, limit_reset: 'daily', usage: 40 }] };
  const made = await importing(
    'openrouter --keys @keys.json',
    { 'keys.json': keys },
    { OPENROUTER_API_KEY: 'sk-or-v1-one' },
  );
  expect(made).toEqual({ accounts: 1, people: 0, keys: 1, budgets: 1 });
  expect(await find('sk-or-v1-one')).toMatchObject({ keyStatus: 'active', models: [] });
});
