import { addressOptions, natsAddress, withCredentials, withoutCredentials } from './nats-address';

it('takes name and password from the address, and inboxes of the name', () => {
  expect(addressOptions({ url: 'nats://edge:a%2Cb%40c@one:4222,two:4222' })).toEqual({
    servers: ['nats://one:4222', 'two:4222'],
    user: 'edge',
    pass: 'a,b@c',
    inboxPrefix: '_INBOX.edge',
  });
});

it('goes on as ever where no name is given, and takes a lone name for a token', () => {
  expect(addressOptions({ url: 'nats://one:4222,nats://two:4222' })).toEqual({
    servers: ['nats://one:4222', 'nats://two:4222'],
  });
  expect(addressOptions({ url: 'nats://t0ken@one' })).toEqual({ servers: ['nats://one'], token: 't0ken' });
});

it('makes no inboxes of a name that is no plain token', () => {
  expect(addressOptions({ url: 'nats://a.%3E:p@one' })).toEqual({ servers: ['nats://one'], user: 'a.>', pass: 'p' });
});

it('speaks TLS only, where certificates or tls:// ask for it', () => {
  expect(addressOptions({ url: 'nats://one', ca: 'PEM' })).toEqual({ servers: ['nats://one'], tls: { ca: 'PEM' } });
  expect(addressOptions({ url: 'tls://one' })).toEqual({ servers: ['tls://one'], tls: {} });
});

it('prefers NATS_USER and NATS_PASSWORD to what the address holds', () => {
  const variables = {
    NATS_URL: 'nats://old:older@one:4222',
    NATS_USER: 'edge',
    NATS_PASSWORD: 'p/:@,w',
    NATS_CA: 'PEM',
  };
  const address = natsAddress(variables);
  expect(address).toEqual({ url: 'nats://edge:p%2F%3A%40%2Cw@one:4222', ca: 'PEM' });
  expect(addressOptions(address)).toMatchObject({ user: 'edge', pass: 'p/:@,w' });
  expect(natsAddress({ NATS_URL: 'nats://old:older@one' })).toEqual({ url: 'nats://old:older@one' });
});

it('lets a password in a file win only where the user is named apart from the address', () => {
  const passwordFile = '/secrets/nats-edge';
  const variables = { NATS_PASSWORD: 'p', NATS_PASSWORD_FILE: passwordFile };
  expect(natsAddress({ NATS_URL: 'nats://one', NATS_USER: 'edge', ...variables })).toMatchObject({ passwordFile });
  expect(natsAddress({ NATS_URL: 'nats://a:b@one', ...variables })).toEqual({ url: 'nats://a:b@one' });
});

it('shows an address without its secrets', () => {
  expect(withoutCredentials(withCredentials('one:1,nats://two:2', 'user', 'canary'))).toBe('nats://one:1,nats://two:2');
});
