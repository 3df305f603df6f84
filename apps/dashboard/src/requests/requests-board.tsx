import type { ReportScope } from '../api/reports';
import { exportAddress } from '../api/reports';
import { useSearch } from '../app/use-search';
import { Card } from '../design/card';
import { Choice } from '../design/choice';
import { LoadedPages } from '../design/loaded-pages';
import { Page } from '../design/page';
import { Empty } from '../design/states';
import { ExportMenu } from '../usage/export-menu';
import { RangePicker } from '../usage/range-picker';
import { useRange } from '../usage/use-range';
import { FilterBar } from './filter-bar';
import { RequestDrawer } from './request-drawer';
import { filtersFrom, requestsQueryOf } from './request-filters';
import { Refusals } from './refusals';
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
  const filters = filtersFrom(search);
  const query = useRequests(scope, range, filters);
  const shown = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const openedId = search.get('request');
  // Administrators choose among accounts; a key that a link led to can be taken away again.
  const { keyId } = filters;
  const name = shown.find((request) => request.keyId === keyId)?.keyName ?? keyId ?? '';
  const choices = keyId && !keys.some(({ id }) => id === keyId) ? [...keys, { id: keyId, name }] : keys;
  const showsRefused = search.get('show') === 'refused';
  const whose = { accountId: filters.accountId, keyId };
  return (
    <Page
      title={title}
      hint="Every request with its attempts, tokens, cost and times. What was asked and answered is kept only for keys that have it switched on."
      actions={
        <>
          <Choice
            label="Which requests"
            options={[
              ['asked', 'Sent on'],
              ['refused', 'Refused before'],
            ]}
            value={showsRefused ? 'refused' : 'asked'}
            onChange={(show) => change({ show: show === 'refused' ? show : null })}
          />
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
        keys={choices}
        accounts={accounts}
        whoseOnly={showsRefused}
        onChange={(name, value) => change({ [name]: value })}
      />
      {showsRefused ? (
        <Card flush>
          <Refusals scope={scope} range={range} whose={whose} />
        </Card>
      ) : (
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
            {(requests, more) => (
              <RequestsTable
                requests={requests}
                scope={scope}
                orderedBy={query.data?.pages[0]?.orderedBy ?? 'endedAt'}
                onOpen={({ id }) => change({ request: id })}
                more={more}
              />
            )}
          </LoadedPages>
        </Card>
      )}
      <RequestDrawer id={openedId} shown={shown} scope={scope} onClose={() => change({ request: null }, 'replace')} />
    </Page>
  );
}
