import { useState } from 'react';
import type { ReportScope } from '../api/reports';
import { exportAddress } from '../api/reports';
import { useSearch } from '../app/use-search';
import { Card } from '../design/card';
import { Choice } from '../design/choice';
import { LoadedPages } from '../design/loaded-pages';
import { Page } from '../design/page';
import { Empty } from '../design/states';
import { formatInstant } from '../format/time';
import { ExportMenu } from '../usage/export-menu';
import { RangePicker } from '../usage/range-picker';
import { useRange } from '../usage/use-range';
import { Failures } from './failures';
import { FilterBar } from './filter-bar';
import { LiveSwitch } from './live-switch';
import { RequestDrawer } from './request-drawer';
import { filtersFrom, requestsQueryOf } from './request-filters';
import { Refusals } from './refusals';
import { RequestsTable } from './requests-table';
import { SavedViews } from './saved-views';
import { useRequests } from './use-requests';

const parts = [
  ['asked', 'Sent on'],
  ['failures', 'Errors by cause'],
  ['refused', 'Refused before'],
] as const;

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
  const [live, setLive] = useState(true);
  const filters = filtersFrom(search);
  const part = parts.find(([name]) => name === search.get('show'))?.[0] ?? 'asked';
  const query = useRequests(scope, range, filters, live && part === 'asked' && filters.said === undefined);
  const searchedBack = query.data?.pages[0]?.searchedBack ?? null;
  const searched = searchedBack !== null && (
    <span className="muted">Words were looked for back to {formatInstant(searchedBack)}: choose an earlier range.</span>
  );
  const shown = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const openedId = search.get('request');
  // Administrators choose among accounts; a key that a link led to can be taken away again.
  const { keyId } = filters;
  const name = shown.find((request) => request.keyId === keyId)?.keyName ?? keyId ?? '';
  const choices = keyId && !keys.some(({ id }) => id === keyId) ? [...keys, { id: keyId, name }] : keys;
  const whose = { accountId: filters.accountId, keyId };
  return (
    <Page
      title={title}
      hint="Every request with its attempts, tokens, cost and times. What was asked and answered is kept only for keys that have it switched on."
      actions={
        <>
          <Choice
            label="Which requests"
            options={parts}
            value={part}
            onChange={(show) => change({ show: show === 'asked' ? null : show })}
          />
          <RangePicker range={range} onChange={setRange} />
          {part === 'asked' && filters.said === undefined && <LiveSwitch live={live} onChange={setLive} />}
          <ExportMenu
            addressOf={(format) =>
              exportAddress('requests', format, scope, requestsQueryOf(range, filters, Date.now()))
            }
          />
        </>
      }
    >
      <SavedViews scope={scope} />
      <FilterBar filters={filters} keys={choices} accounts={accounts} part={part} onChange={change} />
      <Card flush>
        {part === 'refused' && <Refusals scope={scope} range={range} whose={whose} />}
        {part === 'failures' && (
          <Failures
            scope={scope}
            range={range}
            whose={{ ...whose, model: filters.model, provider: filters.provider }}
          />
        )}
        {part === 'asked' && (
          <LoadedPages
            query={query}
            lines={10}
            empty={
              <Empty icon="list" title="No requests found">
                {Object.keys(filters).length
                  ? 'Take a filter away or choose a longer range.'
                  : 'Nothing was asked in this time. A request shows here within seconds.'}{' '}
                {searched}
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
                more={
                  searched ? (
                    <>
                      {more} {searched}
                    </>
                  ) : (
                    more
                  )
                }
              />
            )}
          </LoadedPages>
        )}
      </Card>
      <RequestDrawer
        id={openedId}
        shown={shown}
        scope={scope}
        onOpen={(id) => change({ request: id }, 'replace')}
        onClose={() => change({ request: null }, 'replace')}
      />
    </Page>
  );
}
