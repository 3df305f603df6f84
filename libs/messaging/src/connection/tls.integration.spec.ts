import { startNatsServer } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import { connect } from 'nats';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectionOptions } from './connect-to-nats';
import type { NatsAddress } from './nats-address';

const fixture = (name: string) => join(__dirname, '__fixtures__', name);
const ca = readFileSync(fixture('localhost.cert.pem'), 'utf8');
let secured: NatsServer;
let plain: NatsServer;
/** By name: the client library checks no certificate against an address in numbers. */
const byName = ({ url }: NatsServer) => url.replace('127.0.0.1', 'localhost');

beforeAll(async () => {
  const files = `cert_file: ${JSON.stringify(fixture('localhost.cert.pem'))}, key_file: ${JSON.stringify(fixture('localhost.key.pem'))}`;
  secured = await startNatsServer({ extraConfig: `tls { ${files} }\n` });
  plain = await startNatsServer();
});
afterAll(() => Promise.all([secured.stop(), plain.stop()]));

async function attempt(address: NatsAddress): Promise<string> {
  const connection = await connect({ ...connectionOptions(address, 'tls'), reconnect: false });
  await connection.flush();
  await connection.close();
  return 'connected';
}

it('connects to a server whose certificate the given authority signed', async () => {
  expect(await attempt({ url: byName(secured), ca })).toBe('connected');
  const [gone, there] = [byName(plain), byName(secured)].map((url) => url.replace('nats://', 'tls://'));
  expect(await attempt({ url: `${gone},${there}`, ca })).toBe('connected');
});

it('does not trust a server that nobody known signed', async () => {
  await expect(attempt({ url: byName(secured) })).rejects.toThrow();
});

it('says nothing in clear to a server that has no TLS', async () => {
  await expect(attempt({ url: byName(plain).replace('nats://', 'nats://edge:password@'), ca })).rejects.toThrow();
  await expect(attempt({ url: plain.url.replace('nats://', 'tls://') })).rejects.toThrow();
});
