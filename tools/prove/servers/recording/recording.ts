import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { workspaceRoot } from '../../../stack/workspace-root';
import { writePage } from '../../write-page';
import type { OwnServer } from '../own-server';
import type { QuestionName } from '../questions';

/** A request, as `keyOf` says it, and the answer that a server gave to it. */
const exchange = z.object({
  asked: z.string(),
  status: z.number().int(),
  headers: z.record(z.string(), z.string()),
  text: z.string(),
});
export type Exchange = z.infer<typeof exchange>;

/** What the parts of a server answered, by the names of their models. `package`: the version that did. */
const recording = z.object({ package: z.string(), parts: z.record(z.string(), z.array(exchange)) });
export type Recording = z.infer<typeof recording>;

const folder = join(workspaceRoot, 'tools/prove/servers/recorded');

/** What is kept of an answer's headers: all that the gateway reads of such a server. */
export const keptHeaders = ['content-type', 'retry-after'] as const;

/**
 * Questions whose answers are kept: all but one, which is as long as all others together and says nothing
 * else.
 */
export function isRecorded(name: QuestionName): boolean {
  return name !== 'long stream';
}

/**
 * One request is another's equal where address and document are: how fields are ordered or spaced is nothing.
 */
export function keyOf(path: string, body: Buffer): string {
  if (body.length === 0) return `GET ${path}`;
  const digest = createHash('sha256')
    .update(JSON.stringify(ordered(parsed(body))))
    .digest('hex');
  return `POST ${path} ${digest.slice(0, 16)}`;
}

/** Null: nobody has recorded this server yet. @throws Error for a file that is no recording */
export function readRecording({ id }: Pick<OwnServer, 'id'>): Recording | null {
  const file = join(folder, `${id}.json`);
  return existsSync(file) ? recording.parse(JSON.parse(readFileSync(file, 'utf8'))) : null;
}

/** Keeps what a server answered in place of what was kept of it before. */
export async function writeRecording({ id, packages }: OwnServer, parts: Recording['parts']): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const kept: Recording = { package: packages[0] ?? '', parts };
  await writePage(join(folder, `${id}.json`), JSON.stringify(kept));
}

function parsed(body: Buffer): unknown {
  const text = body.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, each]) => [name, ordered(each)]));
}
