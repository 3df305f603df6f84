import { isApiKey } from '@tollgate/contracts';
import {
  accountsOperations,
  memberOperations,
  keySummary,
  account,
  peopleOperations,
} from '@tollgate/contracts/accounts';
import { catalogOperations } from '@tollgate/contracts/catalog';
import { budget, budgetLeaseOperations, meteringOperations } from '@tollgate/contracts/metering';
import { createAccountsDatabase } from '@tollgate/database/accounts';
import { connectToNats, ControlClient } from '@tollgate/messaging';
import { version } from '@tollgate/observability';
import { aModel, aSnapshot, eventually, freePort } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { userInfo } from 'node:os';
import { z } from 'zod';
import { runCommand, startAccountsProcess, type CommandResult } from './accounts-process.fixture';

let service: Awaited<ReturnType<typeof startAccountsProcess>>;
let connection: NatsConnection;

beforeAll(async () => {
  service = await startAccountsProcess();
  connection = await connectToNats({ url: service.nats.url, name: 'spec' });
});

afterAll(async () => {
  await connection.close();
  await service.stop();
});

const tollgate = (
  commandLine: string,
  environment: NodeJS.ProcessEnv = { NATS_URL: service.nats.url },
): Promise<CommandResult> => runCommand(commandLine, environment);

/** The JSON that a successful command printed, which must be what the operation promises. */
async function json<Schema extends z.ZodType>(schema: Schema, commandLine: string): Promise<z.output<Schema>> {
  const { exitCode, out, error } = await tollgate(`${commandLine} --json`);
  expect({ exitCode, error }).toEqual({ exitCode: 0, error: '' });
  return schema.parse(JSON.parse(out));
}

const newKey = accountsOperations.createKey.reply;
const oneAccount = z.object({ account });
const keyList = z.object({ keys: z.array(keySummary) });

/** Answers an operation as a service would, until the returned function is called. */
async function answer(subject: string, response: object): Promise<() => void> {
  const subscription = connection.subscribe(subject, {
    callback: (_error, message) => {
      const { id } = message.json<{ id: string }>();
      message.respond(JSON.stringify({ id, response, isDisposed: true }));
    },
  });
  await connection.flush();
  return () => subscription.unsubscribe();
}

describe('keys', () => {
  it('are created with everything that the options say, for machines', async () => {
    const reply = await json(
      newKey,
      'keys create --plan enterprise --rpm 100000 --tpm 5_000 --model-limit c/*:rpm=1,tpm=9 --model-limit a/b:tpm=7 --quota 1_000_000_000 --models openai/*,a/b --models c/* --expires 30d --name load',
    );
    expect(isApiKey(reply.apiKey)).toBe(true);
    expect(reply.key).toMatchObject({
      name: 'load',
      plan: 'enterprise',
      rpm: 100_000,
      quotaTokens: 1_000_000_000,
      models: ['openai/*', 'a/b', 'c/*'],
      tpm: 5_000,
      modelLimits: [
        { model: 'c/*', rpm: 1, tpm: 9 },
        { model: 'a/b', rpm: null, tpm: 7 },
      ],
    });
    expect(reply.key.expiresAt).toBeGreaterThan(Date.now() + 29 * 86_400_000);
  });

  it('take absent limits from the plan, and "unlimited" as such', async () => {
    const { key } = await json(newKey, 'keys create --name mixed --rpm unlimited');
    expect(key).toMatchObject({ plan: 'beta', rpm: null, quotaTokens: 1_000_000, expiresAt: null, models: [] });
  });

  it('are shown to people once, and then only by their ends', async () => {
    const created = await tollgate('keys create --name people');
    const apiKey = /tg_sk_\w+/.exec(created.out)?.[0] ?? '';
    expect(isApiKey(apiKey)).toBe(true);
    const listed = await tollgate('keys list');
    expect(listed.out).toMatch(
      /^ID +NAME +KEY +ACCOUNT +PROJECT +PLAN +RPM +TPM +TOKENS\/MONTH +MODELS +STATE +EXPIRES\n/,
    );
    expect(listed.out).toContain(`tg_sk_…${apiKey.slice(-4)}`);
    expect(listed.out).not.toContain(apiKey);
  });

  it('have their limits changed, one by one', async () => {
    const { key } = await json(newKey, 'keys create --name bounded --tpm 5_000 --model-limit a/b:tpm=7');
    const change = `keys limits ${key.id}`;
    const shown = await tollgate(`${change} --rpm unlimited --quota 9 --model-limit c/*:rpm=1 --model-limit d:tpm=2`);
    for (const fact of [/requests a minute +unlimited/, /tokens a minute +5,000/, /tokens a month +9\n/])
      expect(shown.out).toMatch(fact);
    expect(shown.out).toMatch(/c\/\*, a minute +1 requests, unlimited tokens/);
    expect(shown.out).not.toContain('a/b');
    const { out } = await tollgate(`${change} --rpm plan --tpm plan --model-limit none --json`);
    expect(JSON.parse(out)).toMatchObject({ key: { rpm: 60, tpm: null, quotaTokens: 9, modelLimits: [] } });
    for (const wrong of ['', '--tpm many', '--model-limit a', '--model-limit none --model-limit a:tpm=1'])
      expect((await tollgate(`${change} ${wrong}`)).exitCode).not.toBe(0);
  });

  it('are renamed, rotated and revoked', async () => {
    const { key } = await json(newKey, 'keys create --name before');
    expect((await tollgate(`keys change ${key.id} --name turned`)).out).toBe(`${key.display} is called turned.\n`);
    const rotated = await json(accountsOperations.rotateKey.reply, `keys rotate ${key.id} --overlap 90s`);
    expect(rotated.oldKey.expiresAt).toBeLessThanOrEqual(Date.now() + 90_000);
    const revoked = await tollgate(`keys revoke ${rotated.key.id}`);
    expect(revoked).toEqual({ exitCode: 0, error: '', out: `Revoked ${rotated.key.display} (turned).\n` });
    const { keys } = await json(keyList, 'keys list');
    expect(keys.find(({ id }) => id === rotated.key.id)?.keyStatus).toBe('revoked');
    const again = await tollgate(`keys rotate ${rotated.key.id} --overlap 0`);
    expect(again.exitCode).toBe(1);
    expect(again.error).toContain('is revoked, so that it cannot be rotated. Create a new one.');
  });

  it('are listed of one account', async () => {
    const asked = await json(oneAccount, 'accounts request --name Many --email many@example.com');
    await Promise.all(
      Array.from({ length: 3 }, (_, i) => json(newKey, `keys create --account many@example.com --name k${i}`)),
    );
    const { keys } = await json(keyList, `keys list --account ${asked.account.id}`);
    expect(keys.map(({ name }) => name).sort()).toEqual(['k0', 'k1', 'k2']);
  });
});

describe('accounts', () => {
  it('are requested, approved with a plan, suspended and let in again', async () => {
    const asked = await tollgate('accounts request --name Ada --email ada@example.com');
    expect(asked.out).toContain('accounts approve ada@example.com');
    expect(
      (await json(z.object({ accounts: z.array(account) }), 'accounts list --status pending')).accounts[0],
    ).toMatchObject({ email: 'ada@example.com' });
    expect((await json(oneAccount, 'accounts approve ada@example.com --plan pro')).account).toMatchObject({
      status: 'active',
      plan: 'pro',
    });
    expect((await json(oneAccount, 'accounts suspend ada@example.com')).account).toMatchObject({
      status: 'suspended',
      plan: 'pro',
    });
    expect((await json(oneAccount, 'accounts approve ada@example.com')).account).toMatchObject({
      status: 'active',
      plan: 'pro',
    });
  });

  it('are declined', async () => {
    await json(oneAccount, 'accounts request --name No --email no@example.com');
    expect((await json(oneAccount, 'accounts decline no@example.com')).account.status).toBe('declined');
    const refused = await tollgate('keys create --name x --account no@example.com');
    expect(refused).toEqual({
      exitCode: 1,
      out: '',
      error: 'The account of no@example.com is declined. Approve it first.\n',
    });
  });

  it('are changed in the name of who runs the command', async () => {
    const asked = await json(oneAccount, 'accounts request --name Audited --email audited@example.com');
    await json(oneAccount, 'accounts approve audited@example.com');
    const database = createAccountsDatabase(service.postgres.url);
    const lines = await database.accountAudit.findMany({
      where: { accountId: asked.account.id, action: { in: ['access-requested', 'account-changed'] } },
    });
    await database.$disconnect();
    const actor = `cli:${userInfo().username}`;
    expect(lines.map((line) => line.actor)).toEqual([actor, actor]);
  });
});

describe('budgets', () => {
  it('are made for an account, listed with what is left, changed and removed', async () => {
    await tollgate('accounts request --name Bo --email bo@example.com');
    await tollgate('accounts approve bo@example.com --plan pro');
    const wish = 'budgets create --account bo@example.com --name team --limit 2.5 --time-zone Europe/Berlin';
    const { budget: made } = await json(z.object({ budget }), wish);
    expect(made).toMatchObject({ window: 'month', timeZone: 'Europe/Berlin', limitNanoUsd: '2500000000' });
    expect((await tollgate(`budgets change ${made.id} --limit 3`)).exitCode).toBe(0);
    const state = { limitNanoUsd: '3000000000', spentNanoUsd: '500000000', heldNanoUsd: '0', resetsAt: null };
    const stop = await answer(budgetLeaseOperations.states.subject, { states: { [made.id]: state } });
    const listed = await tollgate('budgets list');
    stop();
    for (const part of ['team', '$3', '$0.5', 'month (Europe/Berlin)']) expect(listed.out).toContain(part);
    expect((await tollgate(`budgets remove ${made.id}`)).exitCode).toBe(0);
    expect((await tollgate(`budgets remove ${made.id}`)).exitCode).not.toBe(0);
    expect((await tollgate(`budgets show ${made.id}`)).exitCode).not.toBe(0);
    const rolling = await json(
      z.object({ budget }),
      'budgets create --account bo@example.com --name rolling --limit 1 --window 24h',
    );
    expect(rolling.budget).toMatchObject({ window: '24h' });
    const wrong = await tollgate('budgets create --account bo@example.com --name y --limit 1 --window 25y');
    expect([wrong.exitCode, wrong.error]).toEqual([2, expect.stringContaining('such as 24h (at most 744h)')]);
    const divided = 'budgets create --account bo@example.com --name each --limit 3 --end-user *';
    const { budget: each } = await json(z.object({ budget }), divided);
    const stops = await Promise.all([
      answer(budgetLeaseOperations.states.subject, { states: {} }),
      answer(budgetLeaseOperations.names.subject, { names: [{ name: 'ann', nameDigest: 'aa', state }] }),
    ]);
    const shown = await tollgate(`budgets show ${each.id} --limit 5`);
    for (const part of ['each', 'end user *', 'ann', '$0.5', '16 %']) expect(shown.out).toContain(part);
    for (const stopOne of stops) stopOne();
    expect((await tollgate('budgets create --account bo@example.com --name x --limit free')).exitCode).not.toBe(0);
  });

  it('are of a project of keys, where there is one', async () => {
    await tollgate('accounts request --name Cy --email cy@example.com');
    await tollgate('accounts approve cy@example.com --plan pro');
    const wish = 'budgets create --account cy@example.com --project web --name web --limit 5';
    expect((await tollgate(wish)).error).toContain('no key of the project "web" yet');
    const { key } = await json(newKey, 'keys create --account cy@example.com --name first --project web');
    const { key: late } = await json(newKey, 'keys create --account cy@example.com --name late');
    const { budget: made } = await json(z.object({ budget }), wish);
    expect(made).toMatchObject({ project: 'web', keyIds: [key.id] });
    expect((await tollgate(`keys project ${late.id} web`)).out).toContain('(late) is of the project web.');
    expect((await tollgate(`keys project ${key.id} none`)).out).toContain('(first) is of no project.');
    expect((await tollgate(`keys project ${late.id} none`)).error).toContain('the last key of the project "web"');
    expect((await tollgate(`${wish} --key ${late.id}`)).exitCode).not.toBe(0);
  });
});

describe('webhooks', () => {
  it('are made with a secret that is shown once, tried, listed and removed', async () => {
    const made = await tollgate('webhooks create --name ops --url https://localhost:1/hidden --kinds webhook.test');
    const id = /webhooks test (\S+)/.exec(made.out)?.[1] ?? '';
    expect(made.out).toMatch(/Secret, shown once: whsec_[\w+/=]{44}\n/);
    expect((await tollgate('webhooks list')).out).toMatch(new RegExp(`${id}.*ops.*localhost:1.*signed.*webhook.test`));
    expect((await tollgate(`webhooks test ${id}`)).exitCode).toBe(0);
    const { out } = await tollgate('webhooks deliveries');
    expect(out).toMatch(/ops +webhook\.test/);
    expect(out).not.toContain('hidden');
    expect((await tollgate(`webhooks change ${id}`)).error).toContain('Say --name or --kinds.');
    expect((await tollgate(`webhooks change ${id} --name chat --kinds all`)).exitCode).toBe(0);
    expect((await tollgate(`webhooks pause ${id}`)).out).toContain(`webhooks resume ${id}`);
    expect((await tollgate('webhooks list')).out).toMatch(/chat +localhost:1 +signed +all +yes/);
    expect((await tollgate(`webhooks test ${id}`)).error).toContain('paused');
    expect((await tollgate(`webhooks resume ${id}`)).exitCode).toBe(0);
    expect((await tollgate('webhooks create --name x --url http://10.0.0.1/')).error).toContain('https://');
    expect((await tollgate(`webhooks remove ${id}`)).exitCode).toBe(0);
    expect((await tollgate(`webhooks remove ${id}`)).exitCode).not.toBe(0);
  });
});

describe('people', () => {
  it('are invited into an account, and invitations withdrawn; who joined gets another role, and is removed', async () => {
    await tollgate('accounts request --name Team --email team@example.com');
    await tollgate('accounts approve team@example.com');
    const invited = await tollgate('people invite team@example.com new@example.com --role viewer');
    expect(invited.out).toMatch(/Hand this over to new@example\.com.*\nhttp:\/\/.*\/join\?token=[\w-]{43}/);
    const { invitations } = await json(memberOperations.list.reply, 'people list team@example.com');
    expect(invitations).toMatchObject([{ email: 'new@example.com', role: 'viewer' }]);
    const listed = await tollgate('people list team@example.com');
    expect(listed.out).toMatch(/Nobody signs in for this account\.\n\nInvited:\n[^]*new@example\.com +viewer/);
    expect((await tollgate(`people withdraw team@example.com ${invitations[0]?.id}`)).exitCode).toBe(0);
    const again = await tollgate(`people withdraw team@example.com ${invitations[0]?.id}`);
    expect(again).toMatchObject({ exitCode: 1, error: expect.stringContaining('no such invitation') });

    const account = 'team@example.com';
    for (const [email, role] of [
      ['owns@example.com', 'owner'],
      ['codes@example.com', 'developer'],
    ] as const) {
      const { out } = await tollgate(`people invite ${account} ${email} --role ${role}`);
      const token = /token=([\w-]+)/.exec(out)?.[1] ?? '';
      await new ControlClient(connection).call(
        memberOperations.join,
        { token, name: role, password: 'correct horse battery', address: '::1' },
        { timeoutMs: 10_000 },
      );
    }
    const { people } = await json(memberOperations.list.reply, `people list ${account}`);
    const [, developer] = people;
    expect((await tollgate(`people role ${account} ${developer?.id} billing`)).out).toBe(
      'codes@example.com: billing.\n',
    );
    expect((await tollgate(`people role ${account} ${developer?.id} king`)).exitCode).toBe(2);
    const reset = await tollgate(`people reset-second-factor ${account} ${developer?.id}`);
    expect(reset).toMatchObject({ exitCode: 1, error: expect.stringContaining('has no second factor') });
    const removed = await tollgate(`people remove ${account} ${developer?.id}`);
    expect(removed.out).toBe('codes@example.com is removed; keys that stopped: 0.\n');
    expect((await tollgate(`people remove ${account} ${people[0]?.id}`)).error).toContain('last owner');
  });

  it('are sent by a directory with a token of one account', async () => {
    const made = await tollgate('tokens create --name okta --scopes scim --account team@example.com');
    expect(made.out).toMatch(/tg_adm_\w+/);
    expect((await tollgate('tokens create --name okta --scopes scim')).error).toContain('account');
    expect((await tollgate('tokens create --name x --scopes keys:read --account team@example.com')).exitCode).toBe(1);
  });
});

describe('mails', () => {
  it('are shown as they would have been sent, the newest first', async () => {
    await tollgate('accounts request --name Mia --email mia@example.com');
    await tollgate('accounts approve mia@example.com');
    const { out } = await tollgate('mails list --limit 1');
    expect(out).toContain('mia@example.com');
    expect(out).toContain('Hello Mia,\n\nyour request for access is approved.');
    const { mails } = await json(peopleOperations.listMails.reply.omit({ next: true }), 'mails list');
    expect(mails[0]).toMatchObject({ recipient: 'mia@example.com', sentAt: null });
    expect((await tollgate('mails list --limit 0')).exitCode).toBe(2);
  });
});

describe('models and usage', () => {
  const model = aModel({ id: 'a/one', contextWindow: 128_000 });
  const snapshot = aSnapshot({ sandbox: true, models: [model, { ...model, id: 'b/two' }], available: ['a/one'] });

  it('lists live models, all of them on request, and says that the sandbox answers', async () => {
    const stop = await answer(catalogOperations.snapshot.subject, snapshot);
    const live = await tollgate('models list');
    expect(live.out).toMatch(
      /^MODEL .*\na\/one +active +simulated +128,000 +unknown +unknown\n\nThe simulated providers answer/,
    );
    expect(live.out).not.toContain('b/two');
    const shown = z.object({ models: z.array(z.object({ live: z.boolean() })) });
    expect((await json(shown, 'models list --all')).models).toEqual([{ live: true }, { live: false }]);
    stop();
  });

  it('fails a script when a recount differs', async () => {
    const counted = { events: 2, requests: 2, inputTokens: 10, outputTokens: 5, costNanoUsd: '1500000000' };
    const difference = { keyId: 'k', model: 'a/one', field: 'inputTokens', events: '10', rollups: '9' };
    let stop = await answer(meteringOperations.recount.subject, { ...counted, differences: [] });
    const equal = await tollgate('usage recount --key k');
    expect(equal.exitCode).toBe(0);
    expect(equal.out).toContain('$1.5');
    stop();
    stop = await answer(meteringOperations.recount.subject, { ...counted, differences: [difference] });
    const differs = await tollgate('usage recount');
    expect(differs.exitCode).toBe(1);
    expect(differs.out).toContain('The reports DIFFER from the events.');
    stop();
  });
});

describe('trouble', () => {
  it('status shows who answers and who does not, and exits 3 when one is missing', async () => {
    // Who is heard of is who tells within half a second.
    const { exitCode, out, error } = await eventually(
      () => tollgate('status'),
      (told) => new RegExp(`accounts +yes +1 of ${version}`).test(told.out),
    );
    expect(exitCode).toBe(3);
    expect(out).toMatch(/metering +NO +none heard/);
    expect(error).toContain('Not available: edge, inference, catalog, metering.');
  });

  it('a service that does not answer is named, with an exit code of its own', async () => {
    const { exitCode, error } = await tollgate('usage recount');
    expect(exitCode).toBe(3);
    expect(error).toContain('metering');
  });

  it('no NATS at the address is said within a few seconds', async () => {
    const { exitCode, error } = await tollgate('keys list', { NATS_URL: `nats://127.0.0.1:${await freePort()}` });
    expect(exitCode).toBe(3);
    expect(error).toMatch(/^NATS does not answer at nats:\/\/127\.0\.0\.1:\d+/);
  });

  it('doctor tells wrong settings also where NATS is away, and exits 1', async () => {
    const nowhere = { NATS_URL: `nats://127.0.0.1:${await freePort()}`, EDGE_BODY_LIMIT: 'large' };
    const { exitCode, error } = await tollgate('doctor', nowhere);
    expect(exitCode).toBe(1);
    expect(error).toMatch(/^Something is wrong:\n {2}- EDGE_BODY_LIMIT: .+\n {2}- NATS does not answer at /);
  });

  it('a wrong command line exits 2 and asks nobody', async () => {
    for (const wrong of [
      'keys',
      'keys bake',
      'keys create',
      'keys create --name x --rpm many',
      'accounts list --status odd',
    ])
      expect((await tollgate(wrong, {})).exitCode).toBe(2);
  });

  it('help needs no gateway', async () => {
    for (const help of ['--help', 'keys --help', 'keys create --help', 'status --help']) {
      const { exitCode, out } = await tollgate(help, {});
      expect(exitCode).toBe(0);
      expect(out).toContain('Usage: tollgate');
    }
  });
});
