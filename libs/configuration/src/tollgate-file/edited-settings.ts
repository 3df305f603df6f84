import { isMap, parseDocument } from 'yaml';
import { toPlanEntry, type PlanLimits } from './plan-limits';
import { TollgateFileError } from './tollgate-file-error';

/**
 * A document of settings with this plan in it, as a whole, or (null) without it. Comments and all else stay
 * as they were given.
 * @throws TollgateFileError where the document is not YAML, or no group.
 */
export function withPlan(text: string, name: string, limits: PlanLimits | null): string {
  const document = parseDocument(text, { merge: true });
  const [fault] = document.errors;
  if (fault) throw new TollgateFileError([`settings: ${fault.message}`]);
  if (document.contents === null) document.set('plans', {});
  if (!isMap(document.contents)) throw new TollgateFileError(['settings: must be a group of fields']);
  if (!isMap(document.get('plans'))) document.set('plans', document.createNode({}));
  if (limits) document.setIn(['plans', name], document.createNode(toPlanEntry(limits)));
  else document.deleteIn(['plans', name]);
  return document.toString({ lineWidth: 0 });
}
