import { dialectName } from '@tollgate/contracts';
import type { DialectName } from '@tollgate/contracts';
import { z } from 'zod';
import type { ReasoningPart, ReasoningSeal } from './generation-request';
import { parseJson } from '../wire/json-value';

/**
 * Seals of other providers travel through a caller inside the field that its dialect has for its own
 * (Anthropic's `signature`, OpenAI's `encrypted_content`), which clients send back unread. The mark cannot
 * begin one of their own, which are base64.
 */
export const foreignMark = 'tollgate:';

/**
 * Stands for the seal of reasoning that has none: clients send only such reasoning back that has something in
 * its place.
 */
export const noSeal = `${foreignMark}unsealed`;

const carried = z.object({
  dialect: dialectName,
  kind: z.enum(['signature', 'redacted', 'encrypted']),
  value: z.string(),
  /** The provider that alone can read it, where others of its dialect cannot. */
  madeBy: z.string().optional(),
  /** Id of the reasoning item on its own dialect. */
  id: z.string().optional(),
  /** Set where the seal belongs to the tool call with this id. */
  toolCallId: z.string().optional(),
});
type Carried = z.infer<typeof carried>;

/**
 * A seal of the dialect of its field, with the provider that made it before it. Ids of providers hold no
 * colon.
 */
const ownMark = /^tollgate@([a-z0-9-]+):/;

/**
 * A seal as text for a caller of the dialect `native`: its own as it is (named where one provider alone can
 * read it), any other with what is needed to send it back to its provider.
 */
export function carriedText(
  seal: ReasoningSeal,
  native: DialectName,
  belongsTo: Pick<Carried, 'id' | 'toolCallId'> = {},
): string {
  if (seal.dialect === native) return seal.madeBy === undefined ? seal.value : `${markOf(seal.madeBy)}${seal.value}`;
  return foreignMark + Buffer.from(JSON.stringify({ ...seal, ...belongsTo })).toString('base64url');
}

/** What stands before a provider's seal in the field of its own dialect. */
export function markOf(providerId: string): string {
  return `tollgate@${providerId}:`;
}

/** The provider in front of a seal, and what it made; `madeBy` null: nobody is named. */
export function readMark(text: string): { madeBy: string | null; value: string } {
  const [mark, madeBy] = ownMark.exec(text) ?? [];
  return mark === undefined || madeBy === undefined
    ? { madeBy: null, value: text }
    : { madeBy, value: text.slice(mark.length) };
}

/**
 * The seal in a text that a caller of the dialect `native` sent back; none where it stands for none. `kind`
 * is what it is if it is that dialect's own.
 */
export function readCarried(
  text: string,
  native: DialectName,
  kind: ReasoningSeal['kind'],
): Pick<ReasoningPart, 'id' | 'seal'> & { toolCallId?: string } {
  if (text === noSeal) return {};
  const foreign = text.startsWith(foreignMark)
    ? carried.safeParse(parseJson(Buffer.from(text.slice(foreignMark.length), 'base64url').toString('utf8'))).data
    : undefined;
  if (foreign === undefined) {
    const { madeBy, value } = readMark(text);
    return { seal: { dialect: native, kind, value, ...(madeBy !== null && { madeBy }) } };
  }
  const { id, toolCallId, ...seal } = foreign;
  return { seal, ...(id === undefined ? {} : { id }), ...(toolCallId === undefined ? {} : { toolCallId }) };
}
