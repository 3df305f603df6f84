const whole = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

export const formatCount = (count: number): string => whole.format(count);

/** Short from ten thousand on: 12.3K. */
export const formatCompact = (count: number): string => (count < 10_000 ? whole.format(count) : compact.format(count));

/** A part of a whole; of nothing it is 0 %. */
export function formatShare(part: number, total: number): string {
  const share = total === 0 ? 0 : part / total;
  const digits = share > 0 && share < 0.1 ? 2 : 1;
  return new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: digits }).format(share);
}

/** How much of something comes in a second; below ten a tenth tells. */
export const formatRate = (perSecond: number): string =>
  new Intl.NumberFormat(undefined, { maximumFractionDigits: perSecond < 10 ? 1 : 0 }).format(perSecond);

export function formatBytes(bytes: number): string {
  const unit = bytes < 1_000 ? 'byte' : bytes < 1_000_000 ? 'kilobyte' : 'megabyte';
  const value = bytes / { byte: 1, kilobyte: 1_000, megabyte: 1_000_000 }[unit];
  // The short word of one byte is that of many: "16 byte".
  const unitDisplay = unit === 'byte' ? 'long' : 'short';
  return new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 }).format(value);
}
