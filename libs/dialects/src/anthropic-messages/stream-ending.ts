import type { TokenUsage } from '@tollgate/contracts';
import type { StreamEnding } from '../canonical/passing-answer-reader';
import { toUsage } from './answer-usage';

/**
 * Closes a messages stream early: its blocks follow one another, so at most one is open.
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export class MessagesEnding implements StreamEnding {
  /** The index of the open block, null for none. */
  private open: unknown = null;

  add({ type, index }: Record<string, unknown>): void {
    if (type === 'content_block_start') this.open = index;
    else if (type === 'content_block_stop') this.open = null;
  }

  close(usage: TokenUsage): string {
    const stop = this.open === null ? '' : event('content_block_stop', { index: this.open });
    const delta = { stop_reason: 'max_tokens', stop_sequence: null };
    return stop + event('message_delta', { delta, usage: toUsage(usage) }) + event('message_stop', {});
  }
}

function event(type: string, members: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}
