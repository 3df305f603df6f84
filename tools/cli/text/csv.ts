/**
 * One line of RFC 4180, without its end, for programs: nothing is put in front of what a spreadsheet might
 * run as a formula. Null is an empty cell.
 */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return cells.map(toText).join(',');
}

function toText(cell: string | number | null): string {
  const text = cell === null ? '' : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
