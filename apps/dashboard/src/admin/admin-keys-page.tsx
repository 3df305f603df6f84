import { Page } from '../design/page';
import { AdminKeysCard } from './admin-keys-card';

export function AdminKeysPage() {
  return (
    <Page title="All keys" hint="Keys of every account, newest first.">
      <AdminKeysCard />
    </Page>
  );
}
