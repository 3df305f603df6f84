/** What a cell may hold; null is an empty one. */
export type Cell = string | number | boolean | null;

const number = /^-?\d+(\.\d+)?$/;
/**
 * Where a formula begins, for a spreadsheet: also behind what parts cells where a comma does not, and in wide
 * characters. https://owasp.org/www-community/attacks/CSV_Injection
 */
const formula = /(?<=^|[;\t\r\n])(?=[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/g;

/**
 * One line of RFC 4180 with its end. Text that a spreadsheet would run as a formula gets an apostrophe in
 * front; numbers stay as they are.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(toText).join(',')}\r\n`;
}

function toText(cell: Cell): string {
  const text = cell === null ? '' : String(cell);
  const harmless = number.test(text) ? text : text.replaceAll(formula, "'");
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
