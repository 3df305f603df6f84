import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DialectName } from '@tollgate/contracts';
import { awsEvent } from '../wire/aws-event.fixture';
import { isRecord, parseJson } from '../wire/json-value';

/**
 * What every upstream stream of these fixtures says; the shortest text that a cut can hit inside of a
 * character of two, three and four bytes.
 */
export const saidText = 'Grüße 🜁 日本';
export const saidReasoning = 'Höre…';

/**
 * A stream as a provider of this dialect sends it: a thought, a text, and calls of tools. Null: there is no
 * fixture.
 */
export function upstreamStream(dialect: DialectName): Buffer | null {
  const sse = join(__dirname, '__fixtures__', `${dialect}.sse`);
  if (existsSync(sse)) return readFileSync(sse);
  const lines = join(__dirname, '__fixtures__', `${dialect}.jsonl`);
  return existsSync(lines) ? awsStream(readFileSync(lines, 'utf8')) : null;
}

/** One line for each event: its type and its payload. */
function awsStream(lines: string): Buffer {
  return Buffer.concat(
    lines
      .trim()
      .split('\n')
      .map((line) => {
        const event = parseJson(line);
        if (!Array.isArray(event) || typeof event[0] !== 'string' || !isRecord(event[1])) throw new Error(line);
        return awsEvent(event[0], event[1]);
      }),
  );
}
