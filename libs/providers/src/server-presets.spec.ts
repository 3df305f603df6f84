import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serverPresets } from './server-presets';

const lines = readFileSync(join(__dirname, 'server-presets.ts'), 'utf8').split('\n');
const facts = lines.flatMap((line, index) =>
  /^ {4}(?:quirks: (?!\{\})|loadMetrics: \[)/.test(line) ? [{ line, above: lines[index - 1] }] : [],
);

describe('what a preset says of its server', () => {
  it.each(facts)('has the page it is known from right above it: $line', ({ above }) => {
    expect(above).toMatch(/^ {4}\/\/ .*https:\/\//);
  });

  it('is looked at in all of them', () => {
    const said = Object.values(serverPresets).flatMap(({ quirks, loadMetrics }) => [
      ...(Object.keys(quirks).length > 0 ? [quirks] : []),
      ...(loadMetrics ? [loadMetrics] : []),
    ]);
    expect(facts).toHaveLength(said.length);
  });

  it.each(Object.entries(serverPresets))('has a documentation, and an address of this machine: %s', (_, preset) => {
    expect(preset.documentation).toMatch(/^https:\/\//);
    expect(preset.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  });
});
