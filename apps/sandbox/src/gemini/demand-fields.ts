import { demand } from '../request/refusal';

/**
 * Refuses members that nobody knows, as Google's JSON reader does; `place` is where they stand, empty at the
 * top.
 * @throws Refusal
 */
export function demandFields(value: Record<string, unknown>, known: readonly string[], place: string): void {
  for (const name of Object.keys(value)) {
    const at = place === '' ? '' : ` at '${place}'`;
    demand(known.includes(name), `Invalid JSON payload received. Unknown name "${name}"${at}: Cannot find field.`, {
      param: place === '' ? name : `${place}.${name}`,
    });
  }
}
