import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Places, type PlacesText } from './places';

// Stands at the begin of every program that tools/build.mjs bundles: has traces name the files, lines and
// columns of the sources, by the map beside the bundle (`main.js.map`). It is read when the first trace needs
// it; Node's own `--enable-source-maps` holds those of all modules from their loading on, each package's too.
// https://v8.dev/docs/stack-trace-api#customizing-stack-traces

/** Its text is that of a trace's line, of which its type says nothing. */
type Frame = NodeJS.CallSite & { toString(): string };

/** By file of a program; null: it has no map beside it. */
const maps = new Map<string, Places | null>();

Error.prepareStackTrace = (error, frames) =>
  [words(error), ...frames.map((frame) => `    at ${named(frame)}`)].join('\n');

/** With the code where it is an error of Node's own, as Node has it: `TypeError [ERR_INVALID_ARG_TYPE]: …`. */
function words(error: Error & { code?: unknown }): string {
  const plain = Error.prototype.toString.call(error);
  return typeof error.code === 'string' && error.code.startsWith('ERR_') && error.toString() !== plain
    ? `${error.name} [${error.code}]: ${error.message}`
    : plain;
}

function named(frame: Frame): string {
  const [text, file, line, column] = [
    frame.toString(),
    frame.getFileName(),
    frame.getLineNumber(),
    frame.getColumnNumber(),
  ];
  if (!file || line === null || column === null) return text;
  const origin = mapOf(file)?.find(line - 1, column - 1);
  if (!origin) return text;
  const place = `${resolve(dirname(file), origin.source)}:${origin.line + 1}:${origin.column + 1}`;
  return text.replace(`${file}:${line}:${column}`, () => place);
}

function mapOf(file: string): Places | null {
  let map = maps.get(file);
  if (map === undefined) {
    map = readMap(`${file}.map`);
    maps.set(file, map);
  }
  return map;
}

/**
 * Null also where it cannot be read: no trace may be lost for it. That of packages stays on the disk: it
 * takes tens of MB, and most first traces of a process pass through packages alone.
 */
function readMap(path: string): Places | null {
  if (path.includes('/node_modules/') || path.endsWith('/packages.js.map') || !existsSync(path)) return null;
  try {
    return new Places(JSON.parse(readFileSync(path, 'utf8')) as PlacesText);
  } catch {
    return null;
  }
}
