import { day } from '@tollgate/contracts';
import { InvalidArgumentError, Option } from 'commander';

const unitS = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3_600],
  ['d', 86_400],
]);

/** Reads a length of time such as `90s`, `30m`, `24h`, `7d` or `0` into seconds. */
export function readDurationS(text: string): number {
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  const unit = unitS.get(match?.[2] ?? '');
  if (text === '0') return 0;
  if (!match || unit === undefined)
    throw new InvalidArgumentError('Give a length of time such as 90s, 30m, 24h or 7d.');
  return Number(match[1]) * unit;
}

/** An option that is a length of time, in seconds, whose default the help shows as a person writes it. */
export function timeOption(flags: string, description: string, usual: string): Option {
  return new Option(flags, description).argParser(readDurationS).default(readDurationS(usual), usual);
}

/**
 * Reads a moment, as ISO 8601 (a time without a zone is UTC) or as a length of time from now (`30d`), into
 * epoch milliseconds. It must lie ahead.
 */
export function readFutureMs(text: string, nowMs: number = Date.now()): number {
  const iso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/.exec(text);
  if (iso && !isDay(text.slice(0, 10))) throw noMoment();
  const zoned = iso?.[1] && !iso[4] ? `${text}Z` : text;
  const atMs = iso ? Date.parse(zoned) : nowMs + readDurationS(text) * 1_000;
  if (Number.isNaN(atMs)) throw noMoment();
  if (atMs <= nowMs) throw new InvalidArgumentError('This moment has passed already.');
  return atMs;
}

/** Whether the calendar has such a day: what reads dates takes 31 February for 3 March. */
function isDay(text: string): boolean {
  return day.safeParse(text).success;
}

/** Reads a day of the calendar, such as `2026-11-01`. */
export function readDay(text: string): string {
  if (isDay(text)) return text;
  throw new InvalidArgumentError('Give a day such as 2026-11-01.');
}

function noMoment(): InvalidArgumentError {
  return new InvalidArgumentError('Give a date such as 2027-01-31 or a length of time such as 30d.');
}

/** A limit as it is typed. Not null for unlimited: commander takes null for an option without a value. */
export type TypedLimit = number | 'unlimited';

/** Reads a limit: a whole number (also `1_000_000`) or `unlimited`. */
export function readLimit(text: string): TypedLimit {
  if (text === 'unlimited') return text;
  const value = /^\d[\d_]*$/.test(text) ? Number(text.replaceAll('_', '')) : NaN;
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('Give a whole number, or the word unlimited.');
  return value;
}

/** A limit as operations know it: null is unlimited, absent leaves it to the plan. */
export function toLimit(typed: TypedLimit | undefined): number | null | undefined {
  return typed === 'unlimited' ? null : typed;
}

/** Tells an account's id from its email: the two ways of naming an account. */
export function accountReference(text: string): { accountId: string } | { email: string } {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? { accountId: text } : { email: text };
}

/** Gathers model patterns from repeated options and comma-separated lists. */
export function gatherPatterns(text: string, gathered: string[] = []): string[] {
  const patterns = text.split(',').map((pattern) => pattern.trim());
  return [...gathered, ...patterns.filter((pattern) => pattern !== '')];
}

/** Instead of the name of a project: that a key is of none. */
export const none = 'none';

/** The name of a project, of which a key may also be given no more. */
export function readProject(text: string): string {
  if (text.trim() === none) throw new InvalidArgumentError(`${none} means that a key is of no project.`);
  return text;
}

/** Reads how many lines of a list are wanted, at most `most`. */
export function readPageSize(most: number): (text: string) => number {
  return (text) => {
    const size = Number(text);
    if (Number.isInteger(size) && size >= 1 && size <= most) return size;
    throw new InvalidArgumentError(`It must be a number from 1 to ${most}.`);
  };
}
