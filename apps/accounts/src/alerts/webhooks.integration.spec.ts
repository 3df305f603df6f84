import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI from 'openai';
import { AccountsRig, eventually } from '../testing/accounts-rig';
import { tellAlerts } from './tell-alert';

/** What a receiver got. */
interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}
const received: Received[] = [];
let answersWith = 204;
const receiver = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
  request.on('end', () => {
    received.push({ headers: request.headers, body });
    response.writeHead(answersWith, answersWith === 302 ? { location: '/elsewhere' } : {}).end('answer');
  });
});

let rig: AccountsRig;
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook/secret-part`;
  rig = await AccountsRig.start({ webhookPrivateHosts: ['127.0.0.1'] });
});
afterAll(async () => {
  await rig?.stop();
  receiver.close();
});
beforeEach(async () => {
  received.length = 0;
  answersWith = 204;
  await rig.database.webhook.deleteMany();
});

const newest = async () => (await rig.ask('webhookDeliveries', { limit: 1 })).deliveries[0];
const settled = (isSo: (delivery: NonNullable<Awaited<ReturnType<typeof newest>>>) => boolean) =>
  eventually(async () => {
    const delivery = await newest();
    return delivery !== undefined && isSo(delivery);
  }, 10_000);

it('delivers an alert once, so that an official client can tell whose it is', async () => {
  const { webhook, secret } = await rig.ask('createWebhook', { name: 'ops', url });
  expect(webhook).toMatchObject({ host: new URL(url).host, form: 'signed', kinds: [] });
  await rig.startInstance({ webhookPrivateHosts: ['127.0.0.1'] });
  await rig.ask('requestAccess', { name: 'Ada <!channel>', email: 'ada@example.com', purpose: 'to compute' });
  await settled(({ deliveredAt }) => deliveredAt !== null);
  expect(received).toHaveLength(1);
  const [{ headers, body }] = received as [Received];
  const { webhooks } = new OpenAI({ apiKey: 'none', webhookSecret: secret });
  expect(await webhooks.unwrap(body, headers as Record<string, string>)).toMatchObject({
    type: 'access.requested',
    data: { email: 'ada@example.com', purpose: 'to compute' },
  });
  expect(headers['webhook-id']).toBe((await newest())?.id);
  await expect(webhooks.unwrap(body.replace('Ada', 'Eve'), headers as Record<string, string>)).rejects.toThrow();
  expect(await newest()).toMatchObject({ attempts: 1, status: 204, problem: null, dueAt: null });
});

it('tells Slack a text in which no name calls a channel, and each webhook what it asked for', async () => {
  await rig.ask('createWebhook', { name: 'slack', url, form: 'slack', kinds: ['access.requested'] });
  await rig.ask('createWebhook', { name: 'budgets', url, kinds: ['budget.threshold'] });
  await rig.ask('requestAccess', { name: 'B & <!channel>', email: 'bob@example.com' });
  await settled(({ deliveredAt }) => deliveredAt !== null);
  expect(received.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    {
      text: 'B &amp; &lt;!channel&gt; (bob@example.com) asks for access. Approve or decline it.\nhttps://tollgate.example/admin/accounts?status=pending',
    },
  ]);
});

it.each([500, 302])(
  'tries again with the same id what was answered %d, says why, and follows nobody',
  async (status) => {
    answersWith = status;
    const { webhook } = await rig.ask('createWebhook', { name: 'down', url });
    const { deliveryId } = await rig.ask('testWebhook', { webhookId: webhook.id });
    await settled(({ problem }) => problem !== null);
    const failed = await newest();
    expect(failed).toMatchObject({ id: deliveryId, status, problem: `The receiver answered ${status}.` });
    expect(failed?.dueAt).toBeGreaterThan(Date.now());
    answersWith = 200;
    await rig.database.webhookDelivery.updateMany({ data: { dueAt: new Date() } });
    await settled(({ deliveredAt }) => deliveredAt !== null);
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([deliveryId, deliveryId]);
    expect(await newest()).toMatchObject({ attempts: 2, status: 200, problem: null });
  },
);

it('tells no secret of a mail, which nothing signs', async () => {
  const mail = await rig.ask('createWebhook', { name: 'mail', url: 'mailto:ops@example.org', form: 'mail' });
  expect(mail).toMatchObject({ webhook: { host: 'ops@example.org' }, secret: '' });
  expect((await rig.ask('createWebhook', { name: 'slack', url, form: 'slack' })).secret).toMatch(/^whsec_/);
});

it('keeps no address in the clear, and never connects to one that leads to this machine', async () => {
  for (const address of ['https://localhost:1/', url.replace('127.0.0.1', 'localhost'), 'https://10.0.0.7/']) {
    const asked = rig.ask('createWebhook', { name: address, url: address });
    if (address.startsWith('https://localhost')) await asked;
    else await expect(asked).rejects.toMatchObject({ code: 'invalid' });
  }
  const { webhook } = await rig.ask('createWebhook', { name: 'sealed', url });
  expect(JSON.stringify(await rig.database.webhook.findMany())).not.toContain('secret-part');
  const [local] = (await rig.ask('listWebhooks', {})).webhooks;
  await rig.ask('testWebhook', { webhookId: local?.id ?? '' });
  await settled(({ problem }) => problem !== null);
  expect((await newest())?.problem).toContain('not of the internet');
  await rig.ask('removeWebhook', { webhookId: webhook.id });
  await expect(rig.ask('testWebhook', { webhookId: webhook.id })).rejects.toMatchObject({ code: 'not_found' });
  await expect(rig.ask('removeWebhook', { webhookId: 'none' })).rejects.toMatchObject({ code: 'not_found' });
  const lines = await rig.database.accountAudit.findMany({ where: { action: { startsWith: 'webhook-' } } });
  expect(
    JSON.stringify(lines, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
  ).not.toContain('secret-part');
});

it('is sent nothing while it is paused, and what had waited for it once it goes on', async () => {
  answersWith = 500;
  const { webhook } = await rig.ask('createWebhook', { name: 'ops', url });
  await rig.ask('createWebhook', { name: 'others', url, kinds: ['access.requested'] });
  const { deliveryId } = await rig.ask('testWebhook', { webhookId: webhook.id });
  await settled(({ problem }) => problem !== null);
  const paused = await rig.ask('updateWebhook', { webhookId: webhook.id, paused: true });
  expect(paused.webhook).toMatchObject({ name: 'ops', kinds: [], paused: true });
  await rig.database.webhookDelivery.updateMany({ data: { dueAt: new Date() } });
  received.length = 0;
  answersWith = 204;
  await expect(rig.ask('testWebhook', { webhookId: webhook.id })).rejects.toMatchObject({ code: 'conflict' });
  await rig.ask('requestAccess', { name: 'Joan', email: 'joan@example.com' });
  // The other one is told within the same turn in which what waits is looked for.
  await settled(({ deliveredAt }) => deliveredAt !== null);
  expect(received).toHaveLength(1);
  const inAnHour = new Date(Date.now() + 3_600_000);
  await rig.database.webhookDelivery.updateMany({ where: { deliveredAt: null }, data: { dueAt: inAnHour } });
  await rig.ask('updateWebhook', { webhookId: webhook.id, name: 'on call', kinds: ['webhook.test'], paused: false });
  const waited = () => rig.database.webhookDelivery.findUnique({ where: { id: deliveryId } });
  await eventually(async () => (await waited())?.deliveredAt !== null, 10_000);
  expect(received.slice(1).map(({ headers }) => headers['webhook-id'])).toEqual([deliveryId]);
  const [changed] = (await rig.ask('listWebhooks', {})).webhooks;
  expect(changed).toMatchObject({ name: 'on call', kinds: ['webhook.test'], paused: false });
  const taken = rig.ask('updateWebhook', { webhookId: webhook.id, name: 'others' });
  await expect(taken).rejects.toMatchObject({ code: 'conflict' });
  await expect(rig.ask('updateWebhook', { webhookId: 'none', paused: true })).rejects.toMatchObject({
    code: 'not_found',
  });
});

it('gets what has its turn after another once that has arrived, and the rest meanwhile', async () => {
  await rig.ask('createWebhook', { name: 'in turn', url });
  const alert = (threshold: number) => ({
    kind: 'budget.threshold' as const,
    ...{ text: String(threshold), advice: 'None.', link: 'https://tollgate.example' },
    data: { threshold },
    turn: { of: 'a budget', place: threshold },
  });
  answersWith = 500;
  await rig.database.$transaction((queries) => tellAlerts(queries, [100, 80, 50].map(alert)));
  await eventually(
    async () => (await rig.database.webhookDelivery.count({ where: { problem: { not: null } } })) > 0,
    10_000,
  );
  answersWith = 204;
  await rig.ask('requestAccess', { name: 'Eve', email: 'eve@example.com' });
  await eventually(
    async () => (await rig.database.webhookDelivery.count({ where: { deliveredAt: { not: null } } })) > 0,
  );
  const thresholds = () =>
    received.flatMap(({ body }) => {
      const { data } = JSON.parse(body) as { data: { threshold?: number } };
      return data.threshold ?? [];
    });
  expect(thresholds()).toEqual([50]);
  await rig.database.webhookDelivery.updateMany({
    where: { attempts: 1, deliveredAt: null },
    data: { dueAt: new Date() },
  });
  await eventually(
    async () => (await rig.database.webhookDelivery.count({ where: { deliveredAt: null } })) === 0,
    10_000,
  );
  expect(thresholds()).toEqual([50, 50, 80, 100]);
});

it('takes up what another instance had begun to send when it was killed', async () => {
  const { webhook } = await rig.ask('createWebhook', { name: 'killed', url });
  // As it stands when its sender died: claimed, and the claim is over.
  const { deliveryId } = await rig.ask('testWebhook', { webhookId: webhook.id });
  await settled(({ deliveredAt }) => deliveredAt !== null);
  const data = { deliveredAt: null, attempts: 1, status: null, dueAt: new Date() };
  await rig.database.webhookDelivery.update({ where: { id: deliveryId }, data });
  await settled(({ attempts, deliveredAt }) => attempts === 2 && deliveredAt !== null);
  expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([deliveryId, deliveryId]);
});
