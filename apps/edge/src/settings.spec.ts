import { EnvironmentError } from '@tollgate/configuration';
import { Settings } from './settings';

const required = { NATS_URL: 'nats://x', TOLLGATE_KEY_PEPPER: 'p'.repeat(32) };

describe('the environment', () => {
  it('needs only NATS and the pepper', () => {
    expect(new Settings(required)).toMatchObject({ host: '127.0.0.1', port: 8080, bodyLimit: 33_554_432, tls: null });
  });

  it.each([
    [{}, 'NATS_URL'],
    [{ ...required, TOLLGATE_KEY_PEPPER: 'short' }, 'TOLLGATE_KEY_PEPPER'],
    [{ ...required, PORT: '70000' }, 'PORT'],
    [{ ...required, EDGE_TLS_CERT: '/c' }, 'EDGE_TLS_KEY'],
  ])('is refused by name where it is wrong: %j', (variables, name) => {
    expect(() => new Settings(variables)).toThrow(EnvironmentError);
    expect(() => new Settings(variables)).toThrow(name);
  });

  it.each([
    ['true', true],
    ['10.0.0.0/8,127.0.0.1', '10.0.0.0/8,127.0.0.1'],
  ])('believes the proxies of TRUST_PROXY=%s', (text, trustProxy) => {
    expect(new Settings({ ...required, TRUST_PROXY: text }).trustProxy).toBe(trustProxy);
  });
});

it('takes former peppers, none by default, and none that is too short', () => {
  expect(new Settings(required).formerPeppers).toEqual([]);
  const [one, two] = ['1'.repeat(32), '2'.repeat(32)];
  const given = (text: string) => new Settings({ ...required, TOLLGATE_KEY_PEPPER_PREVIOUS: text });
  expect(given(`${one}, ${two}\n`).formerPeppers).toEqual([one, two]);
  expect(() => given(`${one} short`)).toThrow('TOLLGATE_KEY_PEPPER_PREVIOUS');
});
