import type { LoggedRequest } from '@tollgate/contracts';
import { Badge } from '../design/badge';

const tones = { completed: 'good', failed: 'bad', cancelled: 'warn' } as const;
const texts = { completed: 'Completed', failed: 'Failed', cancelled: 'Cancelled' } as const;

export function RequestBadge({ request: { state, status } }: { request: Pick<LoggedRequest, 'state' | 'status'> }) {
  return (
    <Badge tone={tones[state]}>
      {texts[state]} {status !== 200 && status}
    </Badge>
  );
}
