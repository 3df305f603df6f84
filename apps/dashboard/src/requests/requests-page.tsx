import { keyChoices } from '../keys/key-choices';
import { useKeys } from '../keys/use-keys';
import { RequestsBoard } from './requests-board';

export function RequestsPage() {
  const keys = useKeys();
  return <RequestsBoard title="Requests" scope="own" keys={keyChoices(keys.data?.data ?? [])} />;
}
