import { GatewayError } from '@tollgate/contracts';
import type { RequestFields } from '../canonical/request-fields';
import { isRecord } from '../wire/json-value';

/** The first version that took something away from the one before it, 2023-06-01. */
const strict = '2026-10-21';
const sampling = ['temperature', 'top_p', 'top_k'];

/**
 * What a caller's version of the API has no more, whichever model is asked: a request of that version is
 * refused at Anthropic before any model sees it, and would mean something else to a model of another maker.
 * The same holds where tokens are counted. https://platform.claude.com/docs/en/api/migration-2026-10-21
 * @throws GatewayError 400 naming the field.
 */
export function checkVersion(fields: RequestFields, headers: Readonly<Record<string, string>>): void {
  const version = headers['anthropic-version'];
  if (version === undefined || version < strict) return;
  const refuse = (path: string, instead: string): never => {
    throw new GatewayError(400, `'${path}' is not possible with anthropic-version ${version}: ${instead}.`).withDetails(
      {
        reason: 'unsupported_parameter',
      },
    );
  };
  for (const name of sampling)
    if (fields.raw(name) !== undefined) refuse(name, 'leave it out, or send anthropic-version 2023-06-01');
  for (const [at, message] of (fields.list('messages') ?? []).entries()) {
    if (!isRecord(message) || !Array.isArray(message.content)) continue;
    for (const [index, block] of message.content.entries()) {
      const path = `messages[${at}].content[${index}]`;
      if (message.role !== 'assistant') refuseCitations(block, path, refuse);
      else if (isRecord(block) && block.type === 'document') refuse(path, 'a document stands in a message of the user');
    }
  }
}

/**
 * In a text of the user's, one in a search result included. Whether a document is to be cited is another
 * thing, and stays.
 */
function refuseCitations(block: unknown, path: string, refuse: (path: string, instead: string) => void): void {
  if (!isRecord(block)) return;
  if (block.type === 'text' && Array.isArray(block.citations) && block.citations.length > 0)
    refuse(`${path}.citations`, 'texts of the user have none');
  if (block.type !== 'search_result' || !Array.isArray(block.content)) return;
  for (const [index, inner] of block.content.entries()) refuseCitations(inner, `${path}.content[${index}]`, refuse);
}
