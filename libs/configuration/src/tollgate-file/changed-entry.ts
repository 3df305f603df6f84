import { isMap, isSeq, type Document, type YAMLMap } from 'yaml';
import { editableDocument, editedText } from './editable-document';

type Section = 'models' | 'providers' | 'guardrails';
/** Fields of an entry, by their names; undefined: it stays as it is; null: it is taken out. */
type Fields = Readonly<Record<string, unknown>>;

/**
 * A document of settings in which the entry `id` says these fields beside what it said, or is added by them
 * at the end of its section. What else the document says stays as it was written, comments included.
 * @throws TollgateFileError where the document is not YAML, or no group.
 */
export function withEntry(document: string, section: Section, id: string, fields: Fields): string {
  const yaml = editableDocument(document);
  const entry = entryOf(yaml, section, id) ?? added(yaml, section, id);
  for (const [field, value] of Object.entries(fields))
    if (value === null) entry.delete(field);
    else if (value !== undefined) entry.set(field, yaml.createNode(value));
  return editedText(yaml);
}

/** The document without the entry; null: it has none of that id. @throws TollgateFileError as above. */
export function withoutEntry(document: string, section: Section, id: string): string | null {
  const yaml = editableDocument(document);
  const entry = entryOf(yaml, section, id);
  const list = yaml.get(section);
  if (!entry || !isSeq(list)) return null;
  list.items = list.items.filter((each) => each !== entry);
  if (list.items.length === 0) yaml.delete(section);
  return isMap(yaml.contents) && yaml.contents.items.length > 0 ? editedText(yaml) : '';
}

function entryOf(yaml: Document.Parsed, section: Section, id: string): YAMLMap | undefined {
  const list = yaml.get(section);
  const entries = isSeq(list) ? list.items : [];
  return entries.filter((each) => isMap(each)).find((each) => each.get('id') === id);
}

function added(yaml: Document.Parsed, section: Section, id: string): YAMLMap {
  const entry = yaml.createNode({ id });
  if (isSeq(yaml.get(section))) yaml.addIn([section], entry);
  else yaml.set(section, yaml.createNode([entry]));
  return entry;
}
