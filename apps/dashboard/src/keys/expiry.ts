const day = 86_400_000;

const lengths: Record<string, number | null> = {
  never: null,
  week: 7 * day,
  month: 30 * day,
  quarter: 90 * day,
  year: 365 * day,
};

export const expiries = [
  { id: 'never', name: 'Never' },
  { id: 'week', name: 'In 7 days' },
  { id: 'month', name: 'In 30 days' },
  { id: 'quarter', name: 'In 90 days' },
  { id: 'year', name: 'In a year' },
] as const;

/** When a key made now would end; null: never. */
export function expiresAtOf(expiry: string, now: number): number | null {
  const length = lengths[expiry] ?? null;
  return length === null ? null : now + length;
}

/** How long an old key goes on beside the new one. Seconds. */
export const overlaps = [
  { seconds: 0, name: 'Not at all: it stops at once' },
  { seconds: 3_600, name: 'For an hour' },
  { seconds: 86_400, name: 'For a day' },
  { seconds: 604_800, name: 'For a week' },
] as const;
