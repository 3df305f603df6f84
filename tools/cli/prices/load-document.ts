import { readFile } from 'node:fs/promises';
import { exitCodes, Refusal } from '../failure';

const fetchTimeoutMs = 30_000;

/**
 * The JSON of a file, or of an http(s) address.
 * @throws Refusal saying which of reading, fetching and parsing failed.
 */
export async function loadDocument(place: string): Promise<unknown> {
  const text = await loadText(place);
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(`${place} is not JSON.`);
  }
}

/**
 * The text of a file, or of an http(s) address.
 * @throws Refusal saying which of reading and fetching failed.
 */
export function loadText(place: string): Promise<string> {
  return /^https?:\/\//.test(place) ? fetched(place) : read(place);
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Refusal(`${path} cannot be read: ${reasonOf(error)}.`);
  }
}

async function fetched(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(fetchTimeoutMs) });
    if (response.ok) return await response.text();
    throw new Refusal(`${url} answered ${response.status}.`, exitCodes.unavailable);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`${url} cannot be fetched: ${reasonOf(error)}.`, exitCodes.unavailable);
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
