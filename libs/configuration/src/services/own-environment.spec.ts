import { ownEnvironment } from './own-environment';

const common = {
  NATS_URL: 'nats://all',
  NATS_PASSWORD_FILE: '/secrets/all',
  INTERNAL_PORT: '9000',
  LOG_LEVEL: 'warn',
  METERING_STORED_BYTES: '1000',
};

it('gives a service what is set for it alone, else what is set for all', () => {
  const given = { ...common, ACCOUNTS_NATS_URL: 'nats://accounts', METERING_LOG_LEVEL: 'debug' };
  expect(ownEnvironment('accounts', given)).toMatchObject({ NATS_URL: 'nats://accounts', LOG_LEVEL: 'warn' });
  expect(ownEnvironment('metering', given)).toMatchObject({
    NATS_URL: 'nats://all',
    LOG_LEVEL: 'debug',
    METERING_STORED_BYTES: '1000',
  });
});

it('takes what is set for one alone in place of the file of all, and its file in place of the value of all', () => {
  const own = ownEnvironment('accounts', { ...common, ACCOUNTS_NATS_PASSWORD: 'own', ACCOUNTS_NATS_URL_FILE: '/own' });
  expect([own.NATS_PASSWORD, own.NATS_PASSWORD_FILE]).toEqual(['own', undefined]);
  expect([own.NATS_URL, own.NATS_URL_FILE]).toEqual([undefined, '/own']);
});

it('shares no port of health and metrics', () => {
  expect(ownEnvironment('catalog', common).INTERNAL_PORT).toBeUndefined();
  expect(ownEnvironment('catalog', { ...common, CATALOG_INTERNAL_PORT: '1' }).INTERNAL_PORT).toBe('1');
});
