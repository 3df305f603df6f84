import type { MessagePart, ToolResultPart } from '../canonical/generation-request';
import { invalid } from '../canonical/request-fields';
import type { RequestFields } from '../canonical/request-fields';

/**
 * Reads a `tool_result` block whose content is `parts`. A cache breakpoint on one of its blocks becomes the
 * result's own, which ends the same prefix or a slightly longer one.
 */
export function fromToolResult(fields: RequestFields, parts: readonly MessagePart[]): MessagePart {
  const isError = fields.boolean('is_error');
  const control = parts.findLast((part) => part.cacheControl !== undefined)?.cacheControl;
  return {
    type: 'tool-result',
    toolCallId: fields.requiredText('tool_use_id'),
    content: parts.map((part) => resultPart(part, fields)),
    ...(isError === undefined ? {} : { isError }),
    ...(control === undefined ? {} : { cacheControl: control }),
  };
}

function resultPart(part: MessagePart, fields: RequestFields): ToolResultPart['content'][number] {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image', source: part.source };
    case 'file':
      return { type: 'file', source: part.source, ...(part.filename === undefined ? {} : { filename: part.filename }) };
    default:
      throw invalid(fields.path('content'), 'may hold text, images, documents and search results only');
  }
}
