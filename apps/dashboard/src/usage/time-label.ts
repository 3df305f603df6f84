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

/** The same below an axis, where room is scarce: `spanMs` is all that the axis shows. */
export const tickLabelOf = (at: number, spanMs: number): string =>
  (spanMs > 2 * 86_400_000 ? dayTick : minute).format(at);
