import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { exitCodes, Refusal } from '../failure';

/** The text of a file; `-` is what comes in. @throws Refusal where it cannot be read. */
export async function readGivenFile(path: string): Promise<string> {
  try {
    return path === '-' ? await text(process.stdin) : await readFile(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Refusal(`${path} cannot be read: ${why}.`, exitCodes.usage);
  }
}
