import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const generated = join(__dirname, 'generated/accounts/internal/class.ts');
const tool = join(__dirname, '../parameter-graph.mjs');

/** What is printed of a client's source by the tool. Throws with its words. */
function made(source: string): string {
  const script = `
    import { withSmallIndexes } from ${JSON.stringify(tool)};
    import { readFileSync } from 'node:fs';
    process.stdout.write(withSmallIndexes(readFileSync(0, 'utf8')));`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    input: source,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

const partsOf = (source: string): { strings: string[]; graph: Buffer } => {
  const [, list = '', graph = ''] =
    /parameterizationSchema = \{\s*strings: JSON\.parse\(("(?:[^"\\]|\\.)*")\),\s*graph: "([\w-]*)"/.exec(source) ?? [];
  return { strings: JSON.parse(JSON.parse(list) as string) as string[], graph: Buffer.from(graph, 'base64url') };
};

/** By node of what may be asked with: the names of its fields. As Prisma's runtime reads it. */
function fieldsOf(source: string): string[][] {
  const { strings, graph } = partsOf(source);
  let at = 0;
  const number = (): number => {
    const byte = graph[at++] ?? 0;
    return byte < 128 ? byte : (byte & 127) + 128 * number();
  };
  const [inputs] = [number(), number(), number()];
  return Array.from({ length: inputs }, () =>
    Array.from({ length: number() }, () => {
      const name = strings[number()] ?? '?';
      at += 2;
      number();
      number();
      at++;
      return name;
    }),
  );
}

/** A node of `id` and `name`, by strings of which the most used stand last. */
const strings = JSON.stringify(JSON.stringify(['rare', 'Enum', 'name', 'id']));
// Two nodes of what is asked with: { rare, id: of the enum } and { id, name }; one of what is told: { id }.
const graph = Buffer.from(
  [2, 1, 1, 2, 0, 7, 0, 2, 0, 1, 3, 8, 0, 0, 2, 2, 2, 3, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 1].concat([1, 3, 0, 0, 2, 1, 0]),
);
const source = `config.parameterizationSchema = {\n  strings: JSON.parse(${strings}),\n  graph: "${graph.toString('base64url')}"\n}`;

describe('a generated client', () => {
  it('has the names of most kinds of objects first, and the same fields in each', () => {
    const smaller = made(source);
    expect(partsOf(smaller).strings).toEqual(['id', 'rare', 'name', 'Enum']);
    expect(fieldsOf(source)).toEqual([
      ['rare', 'id'],
      ['id', 'name'],
    ]);
    expect(fieldsOf(smaller)).toEqual(fieldsOf(source));
    // The enum, which is fourth now, and the root, which is third.
    const bytes = [...partsOf(smaller).graph];
    expect(bytes.slice(4, 16)).toEqual([1, 7, 0, 2, 0, 1, 0, 8, 0, 0, 4, 2]);
    expect(bytes.slice(-3)).toEqual([2, 1, 0]);
  });

  it('has small indexes as it is', () => {
    const { strings: names } = partsOf(readFileSync(generated, 'utf8'));
    const places = fieldsOf(readFileSync(generated, 'utf8')).map((fields) =>
      Math.max(0, ...fields.map((name) => names.indexOf(name))),
    );
    expect(places.length).toBeGreaterThan(1_000);
    expect(places.reduce((sum, place) => sum + place, 0) / places.length).toBeLessThan(100);
  });

  it('is refused with a graph of another form', () => {
    expect(() => made(source.replace('parameterizationSchema', 'parameters'))).toThrow('no graph of parameters');
    expect(() => made(source.replace(/(graph: "[^"]*)"/, '$1AAAA"'))).toThrow('not as Prisma 7.10 writes it');
  });
});
