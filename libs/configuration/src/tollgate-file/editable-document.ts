import { isMap, parseDocument, type Document } from 'yaml';
import { TollgateFileError } from './tollgate-file-error';

/**
 * A document of settings that is changed where it stands: comments and all else stay as they were given.
 * @throws TollgateFileError where it is not YAML, or no group.
 */
export function editableDocument(text: string): Document.Parsed {
  const document = parseDocument(text, { merge: true });
  const [fault] = document.errors;
  if (fault) throw new TollgateFileError([`settings: ${fault.message}`]);
  if (document.contents !== null && !isMap(document.contents))
    throw new TollgateFileError(['settings: must be a group of fields']);
  return document;
}

/** Its text; long lines stay as they are. */
export function editedText(document: Document): string {
  return document.toString({ lineWidth: 0 });
}
