import { RequestsBoard } from '../requests/requests-board';
import { useAccountNames } from './use-accounts';

export function FleetRequestsPage() {
  const accounts = useAccountNames();
  return <RequestsBoard title="All requests" scope="fleet" keys={[]} accounts={accounts.data?.data ?? []} />;
}
