import { endsSoon, toldFrom, type CatalogModel } from '@tollgate/contracts/catalog';
import type { Resolved } from './model-catalog';

/**
 * What the caller of a model is told beside the answer, as headers: `Deprecation`
 * (https://www.rfc-editor.org/rfc/rfc9745) since its provider advises against it, or since 60 days before its
 * end, `Sunset` (https://www.rfc-editor.org/rfc/rfc8594) where the day of its end is known, and words where
 * that is within 60 days, or where another name was served than the one asked for. Null: nothing.
 */
export function modelNotices({ model, asked, redirectedFrom }: Resolved, now: number): Record<string, string> | null {
  if (!model.retirement && !redirectedFrom && asked === null) return null;
  const { deprecated = null, date = null } = model.retirement ?? {};
  const soon = date !== null && endsSoon(model.retirement, now) ? date : null;
  const advised = soon === null ? null : toldFrom(soon);
  const since = deprecated === null ? advised : Date.parse(deprecated);
  const warnings = [
    ...(asked === null ? [] : [`${asked} is served as ${(redirectedFrom ?? model).id}`]),
    ...(redirectedFrom ? [redirection(redirectedFrom, model)] : []),
    ...(soon === null ? [] : [farewell(model, soon)]),
  ];
  return {
    ...(since !== null && { deprecation: `@${since / 1_000}` }),
    ...(date !== null && { sunset: new Date(date).toUTCString() }),
    ...(warnings.length > 0 && { 'x-gateway-warnings': warnings.join('; ') }),
  };
}

function farewell({ id, retirement }: CatalogModel, date: string): string {
  const successor = retirement?.successor;
  if (!successor) return `${id} ends on ${date}`;
  const then = retirement.redirects
    ? `its provider answers with ${successor} from then on`
    : `use ${successor} instead`;
  return `${id} ends on ${date}: ${then}`;
}

function redirection({ id, retirement }: CatalogModel, successor: CatalogModel): string {
  return `${id} ended on ${retirement?.date ?? 'an earlier day'}: its provider answers with ${successor.id}`;
}
