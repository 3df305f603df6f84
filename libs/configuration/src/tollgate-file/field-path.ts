/** Where a value stands in the file: names of fields and positions in lists (the first is 0). */
export type FieldPath = readonly (string | number)[];

/** The path as people read it: `models[2].prices.input`. */
export function showPath(path: FieldPath): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('');
}
