import { dialectName } from '@tollgate/contracts';
import type { DialectName } from '@tollgate/contracts';
import { z } from 'zod';
import type { ReasoningPart, ReasoningSeal } from './generation-request';
import { parseJson } from '../wire/json-value';

/**
 * Seals of other providers travel through a caller inside the field that its dialect has for its own (Anthropic's `signature`, OpenAI's `encrypted_content`),
 * which clients send back unread. The mark cannot begin one of their own, which are base64.
 */
export const foreignMark = 'tollgate:';

const carried = z.object({
  dialect: dialectName,
  kind: z.enum(['signature', 'redacted', 'encrypted']),
  value: z.string(),
  /** Id of the reasoning item on its own dialect. */
  id: z.string().optional(),
  /** Set where the seal belongs to the tool call with this id. */
  toolCallId: z.string().optional(),
});
type Carried = z.infer<typeof carried>;

/** A seal as text for a caller of the dialect `native`: its own as it is, any other with what is needed to send it back to its provider. */
export function carriedText(
  seal: ReasoningSeal,
  native: DialectName,
  belongsTo: Pick<Carried, 'id' | 'toolCallId'> = {},
): string {
  if (seal.dialect === native) return seal.value;
  return foreignMark + Buffer.from(JSON.stringify({ ...seal, ...belongsTo })).toString('base64url');
}

/** The seal in a text that a caller of the dialect `native` sent back. `kind` is what it is if it is that dialect's own. */
export function readCarried(
  text: string,
  native: DialectName,
  kind: ReasoningSeal['kind'],
): Pick<ReasoningPart, 'id'> & { seal: ReasoningSeal; toolCallId?: string } {
  const foreign = text.startsWith(foreignMark)
    ? carried.safeParse(parseJson(Buffer.from(text.slice(foreignMark.length), 'base64url').toString('utf8'))).data
    : undefined;
  if (foreign === undefined) return { seal: { dialect: native, kind, value: text } };
  const { id, toolCallId, ...seal } = foreign;
  return { seal, ...(id === undefined ? {} : { id }), ...(toolCallId === undefined ? {} : { toolCallId }) };
}
