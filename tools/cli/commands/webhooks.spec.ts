import { ran } from '../ran.fixture';

const webhook = { id: 'w1', name: 'ops', host: 'ops@example.org', kinds: [], paused: false, createdAt: 0 };
const create = 'webhooks create --name ops --url mailto:ops@example.org';

it('tells the secret of what is signed with it, and none of a mail, which is not', async () => {
  const made = (form: string) => ({ webhook: { ...webhook, form }, secret: 'whsec_x' });
  const { out } = await ran(`${create} --form mail`, [made('mail')]);
  expect(out).toBe('Alerts go to ops@example.org.\nTry it: tollgate webhooks test w1');
  for (const form of ['signed', 'slack'])
    expect((await ran(`${create} --form ${form}`, [made(form)])).out).toContain('Secret, shown once: whsec_x\n');
});
