import { pathAfterSignIn } from './path-after-sign-in';

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
