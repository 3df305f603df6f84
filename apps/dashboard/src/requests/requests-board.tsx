import type { LoggedRequest } from '@tollgate/contracts';
import { useState } from 'react';
import type { ReportScope } from '../api/reports';
import { exportAddress } from '../api/reports';
import { useSearch } from '../app/use-search';
import { Card } from '../design/card';
import { LoadedPages } from '../design/loaded-pages';
import { Page } from '../design/page';
import { Empty } from '../design/states';
import { ExportMenu } from '../usage/export-menu';
import { RangePicker } from '../usage/range-picker';
import { useRange } from '../usage/use-range';
import { FilterBar } from './filter-bar';
import { RequestDrawer } from './request-drawer';
import { filtersFrom, requestsQueryOf } from './request-filters';
import { RequestsTable } from './requests-table';
import { useRequests } from './use-requests';

/** The log of single requests, of one's own or of everybody. Its filters stand in the address. */
export function RequestsBoard({
  title,
  scope,
  keys,
  accounts,
}: {
  title: string;
  scope: ReportScope;
  keys: { id: string; name: string }[];
  accounts?: { id: string; name: string }[];
}) {
  const [search, change] = useSearch();
  const [range, setRange] = useRange();
  const [opened, setOpened] = useState<LoggedRequest | null>(null);
  const filters = filtersFrom(search);
  const query = useRequests(scope, range, filters);
  return (
    <Page
      title={title}
      hint="Every request with its attempts, tokens, cost and times. What was asked and answered is kept only for keys that have it switched on."
      actions={
        <>
          <RangePicker range={range} onChange={setRange} />
          <ExportMenu
            addressOf={(format) =>
              exportAddress('requests', format, scope, requestsQueryOf(range, filters, Date.now()))
            }
          />
        </>
      }
    >
      <FilterBar
        filters={filters}
        keys={keys}
        accounts={accounts}
        onChange={(name, value) => change({ [name]: value })}
      />
      <Card flush>
        <LoadedPages
          query={query}
          lines={10}
          empty={
            <Empty icon="list" title="No requests found">
              {Object.keys(filters).length
                ? 'Take a filter away or choose a longer range.'
                : 'Nothing was asked in this time. A request shows here within seconds.'}
            </Empty>
          }
          next="Show older ones"
        >
          {(requests, more) => <RequestsTable requests={requests} onOpen={setOpened} more={more} />}
        </LoadedPages>
      </Card>
      <RequestDrawer
        request={opened}
        scope={scope}
        keyName={keys.find(({ id }) => id === opened?.keyId)?.name}
        onClose={() => setOpened(null)}
      />
    </Page>
  );
}
