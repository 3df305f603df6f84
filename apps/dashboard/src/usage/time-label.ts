const day = new Intl.DateTimeFormat(undefined, { weekday: 'short', month: 'short', day: 'numeric' });
const hour = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const minute = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const dayTick = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

/** When a point begins, as precisely as its length makes sense. */
export const timeLabelOf = (at: number, step: 'minute' | 'hour' | 'day'): string =>
  (step === 'day' ? day : step === 'hour' ? hour : minute).format(at);

/** Labels of an axis, of which one is as wide as any other: each month, and the hours with two digits. */
export const axisSamples: readonly string[] = [
  ...Array.from({ length: 12 }, (_, month) => dayTick.format(new Date(2026, month, 28))),
  ...[10, 22].map((hours) => minute.format(new Date(2026, 0, 1, hours, 44))),
];

/** The same below an axis, where room is scarce: `spanMs` is all that the axis shows. */
export const tickLabelOf = (at: number, spanMs: number): string =>
  (spanMs > 2 * 86_400_000 ? dayTick : minute).format(at);
