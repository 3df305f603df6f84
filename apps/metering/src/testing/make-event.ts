import { noUsage, uuidv7 } from '@tollgate/contracts';
import type { TokenUsage, UsageEvent } from '@tollgate/contracts';

/**
 * A completed event of 10 input and 5 output tokens that ended at `endedAt` (now when absent), with what a
 * test wants otherwise.
 */
export function makeEvent(
  changes: Partial<Omit<UsageEvent, 'usage'>> & { usage?: Partial<TokenUsage> } = {},
): UsageEvent {
  const endedAt = changes.endedAt ?? Date.now();
  return {
    id: uuidv7(endedAt - 100),
    requestId: 'request',
    keyId: 'key-1',
    accountId: 'account-1',
    requestedModel: 'test/priced',
    model: 'test/priced',
    surface: 'openai-chat',
    stream: false,
    state: 'completed',
    status: 200,
    estimated: false,
    attempts: [{ deployment: 'test', provider: 'test', status: 200, error: null, latencyMs: 12.5 }],
    startedAt: endedAt - 100,
    firstTokenAt: null,
    endedAt,
    lease: null,
    reportedBy: 'inference',
    ...changes,
    usage: { ...noUsage, input: 10, output: 5, ...changes.usage },
  };
}
