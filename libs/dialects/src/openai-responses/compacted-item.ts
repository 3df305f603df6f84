import { GatewayError } from '@tollgate/contracts';
import { foreignMark, readMark } from '../canonical/carried-seal';
import { parseJson, textIn } from '../wire/json-value';

type Item = Record<string, unknown>;

const preface = 'The conversation before this was compacted. This is the summary of it by the model that had it:\n\n';

/**
 * A summary as the item that stands for a conversation. What it holds is the caller's own, so it is packed
 * and not encrypted.
 */
export function compactionItem(id: string, summary: string): object {
  const packed = Buffer.from(JSON.stringify({ summary })).toString('base64url');
  return { id: `cmp_${id}`, type: 'compaction', encrypted_content: foreignMark + packed };
}

/**
 * The summary in a compaction item that this gateway wrote, as a message of the user's, since nothing in it
 * may weigh more than what was said; null where a provider wrote the item.
 */
export function readSummary(item: Item): { role: 'user'; text: string } | null {
  const sealed = textIn(item, 'encrypted_content') ?? '';
  if (!sealed.startsWith(foreignMark)) return null;
  const packed = parseJson(Buffer.from(sealed.slice(foreignMark.length), 'base64url').toString('utf8'));
  const summary = textIn(packed, 'summary');
  return summary === null ? null : { role: 'user', text: preface + summary };
}

/** 400 for a conversation that `sealer` (see `sealerOf`) compacted: nobody else knows what it holds. */
export class SealedElsewhere extends GatewayError {
  constructor(
    at: string,
    readonly sealer: string,
  ) {
    super(400, `'${at}' is a conversation that was compacted by ${sealer}, which alone can read it.`);
  }
}

/**
 * A compaction item as the one who is asked reads it.
 * @throws SealedElsewhere
 */
export function ownCompaction(item: Item, sealer: string, at: string): Item {
  const summary = readSummary(item);
  if (summary) return { type: 'message', role: summary.role, content: [{ type: 'input_text', text: summary.text }] };
  const { madeBy, value } = readMark(textIn(item, 'encrypted_content') ?? '');
  if (madeBy === null || madeBy === sealer) return { ...item, encrypted_content: value };
  throw new SealedElsewhere(at, madeBy);
}
