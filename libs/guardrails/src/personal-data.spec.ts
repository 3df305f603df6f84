import { personalDataKinds } from '@tollgate/contracts/catalog';
import type { PersonalDataKind } from '@tollgate/contracts/catalog';
import { findPersonalData } from './personal-data';

const found = (kind: PersonalDataKind, text: string) =>
  findPersonalData(kind, text).map(({ start, end }) => text.slice(start, end));

it.each<[PersonalDataKind, string, string[]]>([
  ['email', 'ada.l+x@mail.example.co.uk, not@this or @that, <b_c@d.io>', ['ada.l+x@mail.example.co.uk', 'b_c@d.io']],
  ['phone', 'Call +49 (0)30 1234-5678 or 0044 20 7946 0958.', ['+49 (0)30 1234-5678', '0044 20 7946 0958']],
  ['phone', '(212) 555-0123, 212-555-0123, 2125550123, 1.212.555', ['(212) 555-0123', '212-555-0123']],
  ['credit-card', '4111 1111 1111 1111 and 378282246310005', ['4111 1111 1111 1111', '378282246310005']],
  ['credit-card', '4111 1111 1111 1112, 1234567890123456, 0.4111111111111111', []],
  ['credit-card', 'card 5555-5555-5555-4444 12', ['5555-5555-5555-4444']],
  ['iban', 'DE89 3704 0044 0532 0130 00 AND MORE', ['DE89 3704 0044 0532 0130 00']],
  ['iban', 'GB82WEST12345698765432, DE89370400440532013001', ['GB82WEST12345698765432']],
  ['ip-address', 'from 192.168.0.254. Not 1.2.3, 256.1.1.1 or 1.2.3.4.5', ['192.168.0.254']],
  ['ip-address', '2001:db8::ff00:42:8329, std::vector, 10:30:15, ::', ['2001:db8::ff00:42:8329']],
  [
    'api-key',
    `sk-proj-${'aB3_'.repeat(8)} AKIAIOSFODNN7EXAMPLE`,
    [`sk-proj-${'aB3_'.repeat(8)}`, 'AKIAIOSFODNN7EXAMPLE'],
  ],
  ['api-key', `tg_sk_${'a1B2'.repeat(8)}, risk-based, desk_lamp, AKIA`, [`tg_sk_${'a1B2'.repeat(8)}`]],
  [
    'api-key',
    `ghp_${'a'.repeat(36)} -----BEGIN RSA PRIVATE KEY-----`,
    [`ghp_${'a'.repeat(36)}`, '-----BEGIN RSA PRIVATE KEY-----'],
  ],
])('%s is found in: %s', (kind, text, expected) => {
  expect(found(kind, text).sort()).toEqual([...expected].sort());
});

it.each(personalDataKinds)('looking for %s takes time in proportion to the text', (kind) => {
  const hostile = ['a', '1', 'a.', '1 ', 'a@', 'a@a.', '4-', ':', 'A1', 'AB12 ', '+1', 'sk-', 'eyJaaaaaaaaaa.', '0 '];
  for (const piece of hostile) {
    const beganMs = performance.now();
    findPersonalData(kind, piece.repeat(200_000 / piece.length));
    expect(performance.now() - beganMs).toBeLessThan(10_000);
  }
});
