import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { namer } from './source-names';

/**
 * What is read of V8's counts of calls.
 * https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-ScriptCoverage
 */
export const coverage = z.array(
  z.object({
    url: z.string(),
    functions: z.array(
      z.object({
        functionName: z.string(),
        ranges: z.array(z.object({ startOffset: z.number(), count: z.number() })).min(1),
      }),
    ),
  }),
);
export type Coverage = z.infer<typeof coverage>;

/** A function that ran: of which file of ours, `apps/edge/src/main.ts`, and its name there. */
interface Passed {
  file: string;
  name: string;
  calls: number;
}

/**
 * Which functions of ours ran for a request: those that ran while it was under way, but for those that run
 * anyway (`idle`: counts of a time without requests). Beginnings of objects (fields) are no functions.
 */
export function passedBy(busy: Coverage, idle: Coverage, read = textOf, nameOf = namer()): Passed[] {
  const anyway = new Set(ranIn(idle).map(({ key }) => key));
  return ranIn(busy).flatMap(({ key, url, name, at, calls }) => {
    if (anyway.has(key) || name === '<instance_members_initializer>') return [];
    const before = read(url).slice(0, at);
    const lineNumber = before.split('\n').length - 1;
    const columnNumber = before.length - before.lastIndexOf('\n') - 1;
    const [file = ''] = nameOf({ functionName: name, url, lineNumber, columnNumber }).split(' ');
    return /^(?:apps|libs)\//.test(file) ? [{ file, name, calls }] : [];
  });
}

function ranIn(scripts: Coverage) {
  return scripts
    .filter(({ url }) => url.startsWith('file:') && !url.includes('/node_modules/'))
    .flatMap(({ url, functions }) =>
      functions.flatMap(({ functionName: name, ranges: [range] }) =>
        range && range.count > 0
          ? [{ key: `${url} ${range.startOffset}`, url, name, at: range.startOffset, calls: range.count }]
          : [],
      ),
    );
}

const texts = new Map<string, string>();

function textOf(url: string): string {
  let text = texts.get(url);
  if (text === undefined) texts.set(url, (text = readFileSync(fileURLToPath(url), 'utf8')));
  return text;
}
