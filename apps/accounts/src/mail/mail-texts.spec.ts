import { invitationMail, resetMail, secondFactorMail, verificationMail } from './mail-texts';

const link = 'https://tollgate.example/verify?token=x';

it.each(['Ada', 'Ada Lovelace', "Seán O'Brien-Núñez", 'J. R. R. Tolkien', '山田 太郎'])('greets %s', (name) => {
  expect(verificationMail(name, link).body).toMatch(new RegExp(`^Hello ${name},\n\n`));
});

// Anybody can have a mail sent to any address, by signing up with it.
it.each([
  'You won! Claim it at https://evil.example/prize',
  'evil.example',
  'www.EVIL.example now',
  'mail pay@evil.example',
  'Ada,\n\nyour account is closed. Call us',
  'x'.repeat(61),
])('says nothing of a name that says more than who it is: %j', (name) => {
  for (const { body } of [verificationMail(name, link), resetMail(name, link), secondFactorMail(name, 'enabled')]) {
    expect(body).toMatch(/^Hello,\n\n/);
    expect(body).not.toContain(name);
  }
});

it('invites into an account by its name, unless that is such a one', () => {
  expect(invitationMail('Team 7', 'ada@x.example', link).subject).toBe('You are invited to Team 7');
  const { subject, body } = invitationMail('Prizes: evil.example', 'ada@x.example', link);
  expect(subject).toBe('You are invited to an account');
  expect(body).toContain('invites you to use the models of an account with them.');
  expect(body).not.toContain('evil');
});

it('tells of which passkey, unless its name is such a one', () => {
  expect(secondFactorMail('Ada', 'passkey-added', 'Laptop').body).toContain('a passkey (Laptop) was added');
  expect(secondFactorMail('Ada', 'passkey-added', 'evil.example/x').body).toContain('a passkey was added');
});
