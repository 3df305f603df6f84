import { isMap } from 'yaml';
import { editableDocument, editedText } from './editable-document';
import { toPlanEntry, type PlanLimits } from './plan-limits';

/**
 * A document of settings with this plan in it, as a whole, or (null) without it. Comments and all else stay
 * as they were given.
 * @throws TollgateFileError where the document is not YAML, or no group.
 */
export function withPlan(text: string, name: string, limits: PlanLimits | null): string {
  const document = editableDocument(text);
  if (!isMap(document.get('plans'))) document.set('plans', document.createNode({}));
  if (limits) document.setIn(['plans', name], document.createNode(toPlanEntry(limits)));
  else document.deleteIn(['plans', name]);
  return editedText(document);
}
