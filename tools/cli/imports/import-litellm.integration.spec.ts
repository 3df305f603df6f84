import { nanoUsdFromDecimal, presentedKeyDigest } from '@tollgate/contracts';
import { accountsOperations, type CallerKey } from '@tollgate/contracts/accounts';
import { budgetOperations } from '@tollgate/contracts/metering';
import { createAccountsDatabase } from '@tollgate/database/accounts';
import { connectToNats, ControlClient } from '@tollgate/messaging';
import type { NatsConnection } from 'nats';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { accountsPepper, runCommand, startAccountsProcess } from '../accounts-process.fixture';
import { fillLitellm, litellmTables, type SampleCaller } from './litellm-sample.fixture';

const size = 400;
const names = ['gpt-4.1', 'house'];
const config = `model_list:
  - { model_name: gpt-4.1, litellm_params: { model: openai/gpt-4.1, api_key: os.environ/OPENAI_API_KEY } }
  - { model_name: house, litellm_params: { model: hosted_vllm/llama, api_base: 'http://127.0.0.1:1/v1', api_key: sk-in-the-file } }
`;

let folder: string;
let service: Awaited<ReturnType<typeof startAccountsProcess>>;
let litellmUrl: string;
let client: Client;
let connection: NatsConnection;
let control: ControlClient;
let callers: SampleCaller[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-import-'));
  writeFileSync(join(folder, 'config.yaml'), config);
  service = await startAccountsProcess();
  const own = new Client({ connectionString: service.postgres.url });
  await own.connect();
  await own.query('CREATE DATABASE litellm');
  await own.end();
  litellmUrl = Object.assign(new URL(service.postgres.url), { pathname: '/litellm' }).href;
  connection = await connectToNats({ url: service.nats.url, name: 'spec' });
  control = new ControlClient(connection);
  client = new Client({ connectionString: litellmUrl });
  await client.connect();
  await client.query(litellmTables);
  callers = await fillLitellm(client, size, names);
  await client.query(
    `INSERT INTO "LiteLLM_VerificationToken" (token, team_id, models) VALUES ('aa', 'litellm-dashboard', '{}')`,
  );
  await client.query(`INSERT INTO "LiteLLM_EndUserTable" (user_id, budget_id) VALUES ('customer', 'b')`);
});

afterAll(async () => {
  await client.end();
  await connection.close();
  await service.stop();
  rmSync(folder, { recursive: true });
});

async function importing(more = '') {
  const files = `--config ${join(folder, 'config.yaml')} --write ${join(folder, 'tollgate.yaml')}`;
  const { exitCode, out, error } = await runCommand(`import litellm ${files} --json${more}`, {
    NATS_URL: service.nats.url,
    LITELLM_DATABASE_URL: litellmUrl,
  });
  expect({ exitCode, error }).toEqual({ exitCode: 0, error: '' });
  return JSON.parse(out) as {
    settings: { setting: string; count: number; outcome: string }[];
    read: { keys: number; accounts: number; people: number; budgets: number; openingUsd: string };
    made: { keys: number; accounts: number; people: number; budgets: number } | null;
  };
}

async function find({ apiKey }: SampleCaller): Promise<CallerKey | null> {
  const digest = presentedKeyDigest(apiKey, accountsPepper);
  return (await control.call(accountsOperations.resolveKey, { digest }, { timeoutMs: 10_000 })).key;
}

describe('import litellm', () => {
  it('of a dry run tells what becomes of each setting, and changes nothing', async () => {
    const { settings, made } = await importing(' --dry-run');
    expect(made).toBeNull();
    expect(await find(callers[0] as SampleCaller)).toBeNull();
    const outcomes = Object.fromEntries(settings.map(({ setting, outcome, count }) => [setting, [outcome, count]]));
    expect(outcomes).toMatchObject({
      'LiteLLM_VerificationToken.token': ['carried', size],
      'LiteLLM_VerificationToken.metadata': ['not carried', size / 10],
      'sessions of its dashboard': ['not carried', 1],
      'budgets of end users': ['not carried', 1],
      'LiteLLM_UserTable.user_role': ['changed', 1],
      max_budget: ['carried', size / 2 + size / 20],
    });
  });

  it('lets every caller go on with its own key, within its own limits', async () => {
    const { read, made } = await importing();
    const teams = size / 20;
    const all = { accounts: 2 * teams, people: teams, keys: size, budgets: size / 2 + teams };
    expect(read).toMatchObject(all);
    expect(made).toEqual(all);
    for (const caller of callers) {
      const found = await find(caller);
      expect(found).toMatchObject({
        keyStatus: caller.blocked ? 'revoked' : 'active',
        accountStatus: 'active',
        rpm: caller.rpm,
        tpm: caller.tpm,
        quotaTokens: null,
        models: caller.models,
      });
      const own = found?.budgets.filter(({ name }) => name.startsWith('key '));
      expect(own?.map(({ limitNanoUsd }) => limitNanoUsd)).toEqual(
        caller.budgetUsd === null ? [] : [`${caller.budgetUsd}000000000`],
      );
    }
    expect(await find({ ...(callers[0] as SampleCaller), apiKey: 'sk-nobody' })).toBeNull();
  });

  it('carries what was spent, to the nano-dollar', async () => {
    const { rows } = await client.query<{ spent: string }>(
      'SELECT sum(round(spend::numeric, 9))::text AS spent FROM "LiteLLM_VerificationToken"',
    );
    const database = createAccountsDatabase(service.postgres.url);
    const [keys, budgets] = await Promise.all([database.apiKey.findMany(), database.budget.findMany()]);
    await database.$disconnect();
    const sum = (all: readonly { openingNanoUsd: bigint }[]) =>
      all.reduce((total, one) => total + one.openingNanoUsd, 0n);
    expect(sum(keys)).toBe(nanoUsdFromDecimal(rows[0]?.spent ?? ''));
    const teams = budgets.filter(({ name }) => name === 'account');
    const ofTeams = callers.filter(({ team }) => team !== null);
    expect(sum(teams)).toBe(BigInt(Math.round(ofTeams.reduce((total, { spentUsd }) => total + spentUsd, 0) * 1e9)));
  });

  it('keeps no key of a provider, and no hash that can be tried', async () => {
    const written = readFileSync(join(folder, 'tollgate.yaml'), 'utf8');
    expect(written).toContain('VLLM_API_KEY');
    expect(written).not.toContain('sk-in-the-file');
    const database = createAccountsDatabase(service.postgres.url);
    const digests = new Set((await database.apiKey.findMany()).map(({ digest }) => digest));
    await database.$disconnect();
    for (const { apiKey } of callers)
      expect(digests.has(createHash('sha256').update(apiKey).digest('hex'))).toBe(false);
  });

  it('makes nothing twice, undoes nothing, and brings what is new there', async () => {
    const { id: keyId = '' } = (await find(callers[1] as SampleCaller)) ?? {};
    await control.call(accountsOperations.revokeKey, { keyId });
    const before = await control.call(budgetOperations.list, { limit: 500 });
    expect((await importing()).made).toEqual({ accounts: 0, people: 0, keys: 0, budgets: 0 });
    expect(await find(callers[1] as SampleCaller)).toMatchObject({ keyStatus: 'revoked' });
    expect(await control.call(budgetOperations.list, { limit: 500 })).toEqual(before);
    await client.query(
      `INSERT INTO "LiteLLM_VerificationToken" (token, team_id, models) VALUES (encode(sha256('sk-late'), 'hex'), 'team-1', '{all-team-models}')`,
    );
    expect((await importing()).made).toEqual({ accounts: 0, people: 0, keys: 1, budgets: 0 });
  });

  it('makes a project of a project, with its budget, which holds for what comes later, too', async () => {
    await client.query(
      `INSERT INTO "LiteLLM_BudgetTable" (budget_id, max_budget, budget_duration, created_by, updated_by) VALUES ('of web', 7, '30d', 'ada', 'ada')`,
    );
    await client.query(
      `INSERT INTO "LiteLLM_ProjectTable" (project_id, project_alias, team_id, budget_id, models)
       VALUES ('p1', 'web', 'team-1', 'of web', '{}'), ('p2', 'twice', 'team-1', NULL, '{}'), ('p3', 'twice', 'team-1', NULL, '{}')`,
    );
    const bring = (apiKey: string, project: string) =>
      client.query(
        `INSERT INTO "LiteLLM_VerificationToken" (token, team_id, project_id, models) VALUES (encode(sha256($1), 'hex'), 'team-1', $2, '{}')`,
        [apiKey, project],
      );
    await Promise.all([bring('sk-web', 'p1'), bring('sk-twice', 'p3'), bring('sk-none', '')]);
    expect((await importing()).made).toEqual({ accounts: 0, people: 0, keys: 3, budgets: 1 });
    await bring('sk-web-2', 'p1');
    expect((await importing()).made).toEqual({ accounts: 0, people: 0, keys: 1, budgets: 0 });
    const projects = async (apiKey: string) => {
      const found = await find({ ...(callers[0] as SampleCaller), apiKey });
      return [found?.project, found?.budgets.map(({ name }) => name)];
    };
    const ofWeb = ['web', ['account', 'project web']];
    expect(await Promise.all(['sk-web', 'sk-web-2'].map(projects))).toEqual([ofWeb, ofWeb]);
    expect(await Promise.all(['sk-twice', 'sk-none'].map(projects))).toEqual([
      ['p3', ['account']],
      [null, ['account']],
    ]);
  });

  it('lets keys use the models of their access groups, and names what stands in other tables', async () => {
    await client.query(
      `INSERT INTO "LiteLLM_AccessGroupTable" VALUES ('g1', 'cheap', '{house}');
       INSERT INTO "LiteLLM_VerificationToken" (token, models, access_group_ids)
         VALUES (encode(sha256('sk-grouped'), 'hex'), '{gpt-4.1}', '{g1}'), (encode(sha256('sk-all'), 'hex'), '{}', '{g1}');
       INSERT INTO "LiteLLM_Config" VALUES ('router_settings', '{"num_retries":3}'), ('cron', '7');
       INSERT INTO "LiteLLM_MCPServerTable" VALUES ('one'), ('other');
       INSERT INTO "LiteLLM_AuditLog" VALUES ('one')`,
    );
    const { settings } = await importing();
    const modelsOf = async (apiKey: string) => (await find({ ...(callers[0] as SampleCaller), apiKey }))?.models;
    expect(await modelsOf('sk-grouped')).toEqual(['gpt-4.1', 'house']);
    expect(await modelsOf('sk-all')).toEqual([]);
    const outcomes = Object.fromEntries(settings.map(({ setting, outcome, count }) => [setting, [outcome, count]]));
    expect(outcomes).toMatchObject({
      'LiteLLM_AccessGroupTable.access_model_names': ['carried', 1],
      'LiteLLM_Config: router_settings.num_retries': ['not carried', 1],
      'LiteLLM_Config: cron': ['not carried', 1],
      LiteLLM_MCPServerTable: ['not carried', 2],
    });
    expect(outcomes).not.toHaveProperty('LiteLLM_AuditLog');
    expect(outcomes).not.toHaveProperty('LiteLLM_Config');
  });

  it('refuses to write over a file of somebody, before anything is taken over', async () => {
    writeFileSync(join(folder, 'mine.yaml'), 'models: []\n');
    const { exitCode, error } = await runCommand(
      `import litellm --config ${join(folder, 'config.yaml')} --write ${join(folder, 'mine.yaml')}`,
      { NATS_URL: service.nats.url },
    );
    expect(exitCode).toBe(1);
    expect(error).toContain('--write <file> names another');
  });
});
