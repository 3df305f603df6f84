import { build } from 'esbuild';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { Places } from './places';

const at = (line: number, column: number) => ({ source: 'a.ts', line, column });

it('finds what Node finds, at each character of a program', async () => {
  const { outputFiles } = await build({
    stdin: { contents: `export * from './named-traces'; export * from './places.spec';`, resolveDir: __dirname },
    outfile: join(__dirname, 'program.js'),
    bundle: true,
    packages: 'external',
    platform: 'node',
    minifyWhitespace: true,
    lineLimit: 200,
    sourcemap: 'external',
    write: false,
  });
  const text = (end: string): string => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  const map = JSON.parse(text('.map')) as SourceMapPayload;
  const [ours, nodes] = [new Places(map), new SourceMap(map)];
  const lines = text('.js').split('\n');
  expect(lines.length).toBeGreaterThan(20);
  for (const [line, { length }] of lines.entries())
    for (let column = 0; column < length; column++) {
      const entry = nodes.findEntry(line, column);
      const place = 'originalSource' in entry && {
        source: entry.originalSource,
        line: entry.originalLine,
        column: entry.originalColumn,
      };
      expect(ours.find(line, column)).toEqual(place || null);
    }
});

it('knows of nothing before the first place, behind the last line and where a program has text of no source', () => {
  // Column 4 is of line 2 of the source, column 8 of none, column 12 of its next line.
  const places = new Places({ sources: ['a.ts'], mappings: ';IAEE,I,IACA;;' });
  const found = [0, 1, 2, 3, 9].map((line) => [0, 4, 8, 12].map((column) => places.find(line, column)));
  expect(found).toEqual([
    [null, null, null, null],
    [null, at(2, 2), null, at(3, 2)],
    [at(3, 2), at(3, 2), at(3, 2), at(3, 2)],
    [at(3, 2), at(3, 2), at(3, 2), at(3, 2)],
    [null, null, null, null],
  ]);
});

it('knows that a line has no source whose begin stands in no map, after text of none', () => {
  const places = new Places({ sources: ['a.ts'], mappings: 'AAAA,I;IACA,I;' });
  expect([0, 1, 2].map((line) => [0, 4, 8].map((column) => places.find(line, column)))).toEqual([
    [at(0, 0), null, null],
    [null, at(1, 0), null],
    [null, null, null],
  ]);
  expect(places.find(3, 0)).toBeNull();
  const ofNone = new Places({ sources: ['a.ts'], mappings: 'A;' });
  expect([0, 1].map((line) => ofNone.find(line, 0))).toEqual([null, null]);
});

it('refuses what is no map', () => {
  expect(() => new Places({ sources: [], mappings: 'A?' })).toThrow('no source map');
});
