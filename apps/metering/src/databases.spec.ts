import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mostConnections } from './databases';

it('opens as many connections as docs/cluster.md tells whoever counts those of a server', () => {
  const told = readFileSync(join(__dirname, '../../../docs/cluster.md'), 'utf8');
  const [, most] = /A metering holds up to (\d+) connections/.exec(told) ?? [];
  expect(Number(most)).toBe(Object.values(mostConnections).reduce((sum, count) => sum + count));
});
