import { useSearch } from '../app/use-search';
import { Choice } from '../design/choice';
import { Page } from '../design/page';
import { AdminKeysCard } from './admin-keys-card';

export function AdminKeysPage() {
  const [search, change] = useSearch();
  const asleep = search.get('show') === 'asleep';
  return (
    <Page title="All keys" hint="Keys of every account, newest first.">
      <div>
        <Choice
          label="Which keys"
          options={[
            ['all', 'All'],
            ['asleep', 'Not used for eight weeks'],
          ]}
          value={asleep ? 'asleep' : 'all'}
          onChange={(show) => change({ show: show === 'asleep' ? show : null })}
        />
      </div>
      <AdminKeysCard asleep={asleep} />
    </Page>
  );
}
