import { AccountsRig, eventually, peopleSettings } from '../testing/accounts-rig';
import { FakeSmtpServer } from '../testing/fake-smtp-server';

let smtp: FakeSmtpServer;
let rig: AccountsRig;
beforeAll(async () => {
  smtp = await FakeSmtpServer.start();
  const people = peopleSettings({ smtp: { url: smtp.url, from: 'Tollgate <gate@example.com>' } });
  rig = await AccountsRig.start({ people });
  await rig.startInstance({ people });
});
afterAll(async () => {
  await rig.stop();
  smtp.stop();
});

const client = { address: '198.51.100.1', userAgent: '' };
const signUp = (email: string) =>
  rig.ask('signUp', { name: 'Ada', email, password: 'correct horse battery', ...client });
const mailTo = async (email: string) =>
  (await rig.ask('listMails', {})).mails.find(({ recipient }) => recipient === email);

describe('a mail', () => {
  it('is sent once, by whichever instance, and its link is not kept', async () => {
    expect((await rig.ask('session', { token: null })).features.mail).toBe(true);
    await signUp('sent@example.com');
    await eventually(async () => typeof (await mailTo('sent@example.com'))?.sentAt === 'number', 10_000);
    expect(smtp.mails).toHaveLength(1);
    expect(smtp.mails[0]).toContain('To: sent@example.com');
    expect(smtp.mails[0]).toContain('Subject: Confirm your e-mail address');
    expect(smtp.mails[0]).toContain('https://tollgate.example/verify?token');
    expect((await mailTo('sent@example.com'))?.body).toBe('');
  });

  it('that the server does not take waits, says why, and is tried again', async () => {
    smtp.refuses = true;
    await signUp('waits@example.com');
    await eventually(async () => (await mailTo('waits@example.com'))?.problem?.includes('450') === true, 10_000);
    smtp.refuses = false;
    await rig.database.mail.updateMany({ where: { recipient: 'waits@example.com' }, data: { dueAt: new Date() } });
    await eventually(async () => typeof (await mailTo('waits@example.com'))?.sentAt === 'number', 10_000);
    expect(await mailTo('waits@example.com')).toMatchObject({ problem: null });
  });
});
