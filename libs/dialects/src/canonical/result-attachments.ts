import type { MessagePart, ToolResultPart } from './generation-request';

/** What a tool message says whose result is no text. */
export const seeBelow = 'See the attachment below.';

/**
 * What a tool's result holds beside text, for a user message behind the results, with a word on where it is
 * from.
 */
export function attachmentsOf({ toolCallId, content }: ToolResultPart): MessagePart[] {
  const media = content.filter(({ type }) => type !== 'text');
  if (media.length === 0) return [];
  return [
    {
      type: 'text',
      text: `Attachments of the result of tool call ${toolCallId}:`,
    },
    ...media,
  ];
}
