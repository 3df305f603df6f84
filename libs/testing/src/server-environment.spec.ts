import { serverEnvironment } from './server-environment';

const before = { ...process.env };
afterEach(() => void (process.env = { ...before }));

it('is what such a server may need, and no key, whatever it is named', () => {
  const needed = {
    PATH: '/bin',
    LC_TIME: 'C',
    LOCALE_ARCHIVE: '/archive',
    GOMEMLIMIT: '1GiB',
    DYLD_LIBRARY_PATH: '/l',
  };
  const keys = [
    'OPENAI_API_KEY',
    'GOOGLEKEY',
    'GOOGLE_API_KEY',
    'LC_API_KEY',
    'DYLD_KEY',
    'PGPASSWORD',
    'NODE_OPTIONS',
  ];
  process.env = { ...needed, ...Object.fromEntries(keys.map((name) => [name, 'secret'])) };
  expect(serverEnvironment({ MORE: 'x' })).toEqual({ ...needed, MORE: 'x' });
});
