import type { LoggedRequest } from '@tollgate/contracts/metering';
import { Badge } from '../design/badge';

const tones = { completed: 'good', failed: 'bad', cancelled: 'warn' } as const;
const texts = { completed: 'Completed', failed: 'Failed', cancelled: 'Cancelled' } as const;

/** How a request ended, and whether the response cache answered it. */
export function RequestBadge({
  request: { state, status, cached },
}: {
  request: Pick<LoggedRequest, 'state' | 'status' | 'cached'>;
}) {
  return (
    <>
      <Badge tone={tones[state]}>
        {texts[state]} {status !== 200 && status}
      </Badge>
      {cached && (
        <>
          {' '}
          <Badge tone="accent">From the cache</Badge>
        </>
      )}
    </>
  );
}
