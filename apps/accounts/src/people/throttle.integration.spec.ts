import { AccountsRig } from '../testing/accounts-rig';
import { newClient } from '../testing/new-client';

let rig: AccountsRig;
beforeAll(async () => {
  rig = await AccountsRig.start();
});
afterAll(() => rig.stop());

it('does not hold up a network whose address somebody elsewhere types in as their own', async () => {
  const office = { address: '203.0.113.77', userAgent: '' };
  const person = { email: 'office@example.com', password: 'correct horse battery' };
  await rig.ask('signUp', { name: 'Ada', ...person, purpose: '', ...newClient() });
  for (let n = 0; n < 8; n++) {
    await rig.ask('signIn', { email: office.address, password: 'Password1234!', ...newClient() });
    await rig.ask('forgot', { email: office.address, ...newClient() });
  }
  expect(await rig.ask('signIn', { ...person, ...office })).toMatchObject({ outcome: 'opened' });
  await rig.ask('forgot', { email: person.email, ...office });
  const { mails } = await rig.ask('listMails', { limit: 1 });
  expect(mails).toMatchObject([{ recipient: person.email, subject: 'Set a new password' }]);
});

it('does not hold up a network since somebody in it goes on trying for an address that must wait', async () => {
  const from = { ...newClient(), address: '203.0.113.88' };
  const tries = (email: string) => rig.ask('signIn', { email, password: 'Password1234!', ...from });
  for (let n = 0; n < 40; n++) await tries('impatient@example.com');
  expect(await tries('impatient@example.com')).toMatchObject({ outcome: 'throttled' });
  expect(await tries('colleague@example.com')).toEqual({ outcome: 'refused' });
});
