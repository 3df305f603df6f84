import type { AccountStatus } from '../api/admin';
import { Badge } from '../design/badge';

const looks = {
  pending: ['warn', 'Waits for approval'],
  active: ['good', 'Active'],
  suspended: ['bad', 'Suspended'],
  declined: ['plain', 'Declined'],
} as const;

export function AccountBadge({ status }: { status: AccountStatus }) {
  const [tone, text] = looks[status];
  return <Badge tone={tone}>{text}</Badge>;
}
