import { createHash } from 'node:crypto';

/**
 * Ids of tool calls hold at most 64 of a-z, A-Z, 0-9, _ and -; other providers' may be longer or hold other
 * characters.
 * A changed id ends in a hash of the whole one, so that different ids stay different and a call and its
 * result stay together.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html
 */
export function toolUseId(id: string): string {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(id)) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 16);
  return `${id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 47)}_${hash}`;
}
