import { targetOf } from './page-links';

it.each([
  ['operate.md#upgrade', { kind: 'page', source: 'docs/operate.md', href: 'operate.html#upgrade' }],
  ['../.env.example', { kind: 'file', source: '.env.example', href: '../.env.example' }],
  ['https://example.com', { kind: 'outside', href: 'https://example.com' }],
  ['decisions', { kind: 'none' }],
])('follows %s', (link, target) => expect(targetOf(link, 'docs/clients.md')).toEqual(target));

it.each(['no-such.md', '../no/such', '../../outside.md'])('finds that %s leads to nothing', (link) =>
  expect(() => targetOf(link, 'docs/clients.md')).toThrow(`docs/clients.md: ${link} leads to nothing`),
);
