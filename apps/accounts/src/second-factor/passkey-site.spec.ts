import { passkeySite } from './passkey-site';

it.each([
  ['https://gateway.example.com', { id: 'gateway.example.com', origin: 'https://gateway.example.com' }],
  ['https://gateway.example.com:8443/below', { id: 'gateway.example.com', origin: 'https://gateway.example.com:8443' }],
  ['http://localhost:8080', { id: 'localhost', origin: 'http://localhost:8080' }],
  ['http://tollgate.localhost', { id: 'tollgate.localhost', origin: 'http://tollgate.localhost' }],
])('%s has passkeys', (publicUrl, site) => {
  expect(passkeySite(publicUrl)).toEqual(site);
});

it.each([
  'http://gateway.example.com',
  'http://127.0.0.1:8080',
  'https://127.0.0.1:8443',
  'https://[2001:db8::1]',
  'http://notlocalhost',
])('%s has none', (publicUrl) => {
  expect(passkeySite(publicUrl)).toBeNull();
});
