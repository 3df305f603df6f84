import { pathAfterSignIn } from './path-after-sign-in';
import { reasonFrom } from './reason-from';

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
