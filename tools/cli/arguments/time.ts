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
  const zoned = iso?.[1] && !iso[4] ? `${text}Z` : text;
  const atMs = iso ? Date.parse(zoned) : nowMs + readDurationS(text) * 1_000;
  if (Number.isNaN(atMs))
    throw new InvalidArgumentError('Give a date such as 2027-01-31 or a length of time such as 30d.');
  if (atMs <= nowMs) throw new InvalidArgumentError('This moment has passed already.');
  return atMs;
}
