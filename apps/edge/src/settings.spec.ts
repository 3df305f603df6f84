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
