import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** Where a function is, as V8 tells it: lines and columns from 0. */
export const callFrame = z.object({
  functionName: z.string(),
  url: z.string(),
  lineNumber: z.number(),
  columnNumber: z.number(),
});
type CallFrame = z.infer<typeof callFrame>;

/**
 * Names frames by the sources that bundles were made of: `libs/messaging/src/generation/frame.ts framesOf`,
 * `node_modules/nats/… publish`, `node:net …`, or V8's own, as `(idle)`.
 */
export function namer(): (frame: CallFrame) => string {
  const maps = new Map<string, SourceMap | null>();
  return ({ functionName, url, lineNumber, columnNumber }) => {
    if (url === '') return functionName;
    if (!maps.has(url)) maps.set(url, readMap(url));
    const entry = maps.get(url)?.findEntry(lineNumber, columnNumber);
    const source = entry && 'originalSource' in entry ? entry.originalSource : url;
    return `${source.replace(/^.*?((?:node_modules|apps|libs)\/(?!.*\/node_modules\/))/, '$1')} ${functionName}`;
  };
}

/** `url`: of a file, or its path, as profiles of allocations have it. Null: it has none. */
function readMap(url: string): SourceMap | null {
  const path = url.startsWith('file:') ? fileURLToPath(url) : url;
  if (!isAbsolute(path) || path.includes('/node_modules/')) return null;
  try {
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')) as SourceMapPayload);
  } catch {
    return null;
  }
}
