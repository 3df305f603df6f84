// What a client of Prisma knows of the parameters of its queries: a graph whose nodes (kinds of objects) have
// edges (their fields), each called by the index of its name in a list of strings. The runtime keeps the
// edges of a node in an object under these indexes, which V8 gives a place for every number up to the largest
// (8 bytes): 14 MB in records, with almost nothing in them. Here the names of most nodes come first.

const inSource =
  /(config\.parameterizationSchema = \{\s*strings: JSON\.parse\()("(?:[^"\\]|\\.)*")(\),\s*graph: ")([\w-]*)(")/;

/**
 * The source of a generated client (`internal/class.ts`) with the same graph, whose indexes are small.
 * @throws Error where it has none, or one of another form than that of Prisma 7.10.
 */
export function withSmallIndexes(source) {
  const [found, before, list, between, graph, end] = inSource.exec(source) ?? [];
  if (!found) throw new Error('The generated client has no graph of parameters where Prisma 7.10 has it.');
  const strings = JSON.parse(JSON.parse(list));
  const bytes = Buffer.from(graph, 'base64url');
  const uses = strings.map(() => 0);
  const isKnown = renamed(
    bytes,
    (index) => index,
    (index) => uses[index]++,
  ).equals(bytes);
  if (!isKnown) throw new Error('The graph of parameters of the generated client is not as Prisma 7.10 writes it.');
  const order = [...strings.keys()].sort((one, other) => uses[other] - uses[one]);
  const placeOf = new Map(order.map((index, place) => [index, place]));
  const smaller = renamed(bytes, (index) => placeOf.get(index));
  const inOrder = JSON.stringify(JSON.stringify(order.map((index) => strings[index])));
  return source.replace(found, () => [before, inOrder, between, smaller.toString('base64url'), end].join(''));
}

/**
 * The graph with other indexes of strings. `onEdge` hears that of each edge, as it was.
 * https://github.com/prisma/prisma/tree/main/packages/param-graph
 */
function renamed(bytes, rename, onEdge = () => {}) {
  const out = [];
  let at = 0;
  const copy = (count) => out.push(...bytes.subarray(at, (at += count)));
  const read = () => {
    let [value, shift, byte] = [0, 0, 128];
    for (; byte >= 128; shift += 7) value |= ((byte = bytes[at++] ?? 0) & 127) << shift;
    return value;
  };
  const write = (value) => {
    let rest = value;
    for (; rest >= 128; rest >>= 7) out.push((rest & 127) | 128);
    out.push(rest);
    return value;
  };
  const number = () => write(read());
  const name = () => {
    const index = read();
    write(rename(index));
    return index;
  };
  /** 0: there is none. */
  const nameOrNone = () => {
    const index = read();
    write(index === 0 ? 0 : rename(index - 1) + 1);
  };
  const [inputs, outputs, roots] = [number(), number(), number()];
  for (let node = 0; node < inputs; node++)
    for (let edges = number(); edges > 0; edges--) {
      onEdge(name());
      // Which scalars may stand there.
      copy(2);
      // The node below.
      number();
      // An enum.
      nameOrNone();
      // Flags.
      copy(1);
    }
  for (let node = 0; node < outputs; node++)
    for (let edges = number(); edges > 0; edges--) {
      onEdge(name());
      // Nodes of what is asked with, and of what is told.
      number();
      number();
    }
  for (let root = 0; root < roots; root++) {
    name();
    number();
    number();
  }
  return at === bytes.length ? Buffer.from(out) : Buffer.alloc(0);
}
