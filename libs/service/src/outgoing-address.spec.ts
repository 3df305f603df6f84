import { isPublicAddress, lookupPublic, outgoingAddress } from './outgoing-address';

const variable = 'TRUSTED_HOSTS';
const addressOf = (given: string, trusted: readonly string[]): URL => outgoingAddress(given, trusted, variable);

describe('an address of the internet', () => {
  it.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '2a00:1450:4001::200e'])('is %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ...['127.0.0.1', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254'],
    ...['100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '::1', '::', '::ffff:127.0.0.1', '::ffff:8.8.8.8'],
    ...['fe80::1', 'fc00::1', 'fd12:3456::1', 'ff02::1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001:db8::1', ''],
    ...['localhost', '127.1'],
  ])('is not %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('an address that leads outwards', () => {
  it.each([
    ...['ftp://example.com/', 'example.com', '//example.com', 'javascript:1', '', 'http://example.com/'],
    ...['https://user:password@example.com/', 'https://127.0.0.1/', 'https://127.1/', 'https://2130706433/'],
    ...[
      'https://0x7f000001/',
      'https://0177.0.0.1/',
      'https://[::1]/',
      'https://[::ffff:127.0.0.1]/',
      'https://①②⑦.⓪.⓪.①/',
    ],
    ...['https://169.254.169.254/latest/meta-data', 'https://10.0.0.7/'],
  ])('is not %j', (given) => {
    expect(() => addressOf(given, [])).toThrow();
  });

  it('is one of the internet, or of a host that the operator named, with or without TLS', () => {
    expect(addressOf('https://hooks.example.com/T1/B2', []).href).toBe('https://hooks.example.com/T1/B2');
    expect(addressOf('http://alerts.internal:8080/x', ['alerts.internal']).port).toBe('8080');
    expect(addressOf('http://127.0.0.1:1/', ['127.0.0.1']).hostname).toBe('127.0.0.1');
    expect(() => addressOf('http://127.0.0.2:1/', ['127.0.0.1'])).toThrow('https://');
  });
});

it('does not connect to a name that leads to this machine', async () => {
  const found = new Promise<Error | null>((resolve) =>
    lookupPublic(variable)('localhost', {}, (error) => resolve(error)),
  );
  expect((await found)?.message).toContain('not of the internet, and is none of TRUSTED_HOSTS');
});
