import { meAfter, newestMe } from './session';
import { pathAfterSignIn, reasonFrom } from './sign-in';

it.each([
  ['/keys', '/keys'],
  ['/requests?state=failed&model=openai%2Fgpt', '/requests?state=failed&model=openai%2Fgpt'],
  [null, '/overview'],
  ['', '/overview'],
  ['/', '/overview'],
  ['//evil.example', '/overview'],
  ['/\\evil.example', '/overview'],
  ['https://evil.example', '/overview'],
  ['javascript:alert(1)', '/overview'],
])('%s leads to %s', (next, path) => expect(pathAfterSignIn(next)).toBe(path));

it.each([
  [null, null],
  ['This account is suspended.', 'You could not be signed in. The answer was: "This account is suspended."'],
  ['Go to https://evil.example', 'You could not be signed in. Please try again.'],
  ['Call 0190123456', 'You could not be signed in. Please try again.'],
])('%s is told as: %s', (text, told) => expect(reasonFrom(text)).toBe(told));

describe('who is signed in', () => {
  const features = {
    oidc: null,
    mail: false,
    needsFirstAdministrator: false,
    passkeys: null,
    sandbox: false,
    contentLog: null,
  };
  const ada = { id: 'p1', name: 'Ada', email: 'ada@example.org', emailVerified: true };
  const roles = { role: 'user' as const, accountRole: 'owner' as const, may: [] };
  const nobody = { user: null, account: null, csrfToken: 'of a visitor', wantsSecondFactor: false, features };
  const signedIn = { ...nobody, user: { ...ada, ...roles }, csrfToken: 'of Ada' };

  it('is not who an answer tells that was asked for before they signed in', () => {
    expect(newestMe(undefined, signedIn, nobody)).toBe(signedIn);
    expect(newestMe(nobody, signedIn, nobody)).toBe(signedIn);
    expect(newestMe(signedIn, signedIn, nobody)).toMatchObject({ ended: true });
    expect(newestMe(undefined, undefined, signedIn)).toBe(signedIn);
  });

  it('stays known while the page waits for them to sign in again', () => {
    const ended = meAfter(signedIn, nobody);
    expect(ended).toEqual({ ...signedIn, csrfToken: 'of a visitor', ended: true });
    expect(meAfter(ended, nobody)).toEqual(ended);
    expect(meAfter(ended, signedIn)).toEqual(signedIn);
  });

  it('stays known while a code is wanted from them', () => {
    const wanted = { ...nobody, wantsSecondFactor: true };
    expect(meAfter(signedIn, wanted)).toMatchObject({ user: { id: 'p1' }, ended: true, wantsSecondFactor: true });
    expect(meAfter(undefined, wanted)).toEqual(wanted);
  });

  it('is nobody, where nobody was', () => expect(meAfter(undefined, nobody)).toEqual(nobody));
});
