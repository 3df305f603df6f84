import { useAccountNames } from '../admin/use-accounts';
import { keyChoices } from '../keys/key-state';
import { useKeys } from '../keys/use-keys';
import { RequestsBoard } from './requests-board';

export function RequestsPage() {
  const keys = useKeys();
  return <RequestsBoard title="Requests" scope="own" keys={keyChoices(keys.data?.data ?? [])} />;
}

export function FleetRequestsPage() {
  const accounts = useAccountNames();
  return <RequestsBoard title="All requests" scope="fleet" keys={[]} accounts={accounts.data?.data ?? []} />;
}
