import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { exportAddress, fetchRequests } from '../api/reports';
import type { ReportScope } from '../api/reports';
import { useSearch } from '../app/use-search';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { Choice } from '../design/choice';
import { classes } from '../design/classes';
import { LoadedPages } from '../design/loaded-pages';
import { Page } from '../design/page';
import { Empty } from '../design/states';
import { formatInstant } from '../format/time';
import { useKey } from '../palette/use-key';
import { ExportMenu } from '../usage/export-menu';
import type { Range } from '../usage/range';
import { RangePicker } from '../usage/range-picker';
import { useRange } from '../usage/use-range';
import { pollMs } from '../usage/use-series';
import { Failures } from './failures';
import { FilterBar } from './filter-bar';
import { Refusals } from './refusals';
import { RequestDrawer } from './request-drawer';
import { type Filters, filtersFrom, requestsQueryOf } from './request-filters';
import { RequestsTable } from './requests-table';
import styles from './requests.module.css';
import { SavedViews } from './saved-views';

const pageSize = 50;

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

/** Whether the list follows what happens. Paused, it stays as it is while somebody reads. */
function LiveSwitch({ live, onChange }: { live: boolean; onChange: (live: boolean) => void }) {
  useKey((key) => key === 'l' && onChange(!live));
  return (
    <Button aria-pressed={live} title={live ? 'Pause (L)' : 'Follow again (L)'} onClick={() => onChange(!live)}>
      <span className={classes(styles.dot, live && styles.live)} aria-hidden="true" />
      {live ? 'Live' : 'Paused'}
    </Button>
  );
}

/**
 * The newest requests, page by page. While only the first page is shown it follows the clock, if it is
 * `live`.
 */
function useRequests(scope: ReportScope, range: Range, filters: Filters, live: boolean) {
  return useInfiniteQuery({
    queryKey: ['requests', scope, range.name, range.name === 'custom' && [range.from, range.to], filters],
    queryFn: ({ pageParam, signal }) =>
      fetchRequests(
        scope,
        { ...requestsQueryOf(range, filters, pageParam?.now ?? Date.now()), limit: pageSize, after: pageParam?.after },
        signal,
      ),
    initialPageParam: null as { now: number; after: string } | null,
    getNextPageParam: ({ next }, _pages, before) =>
      next === null ? undefined : { now: before?.now ?? Date.now(), after: next },
    refetchInterval: ({ state }) => (!live || (state.data?.pages.length ?? 1) > 1 ? false : pollMs),
    refetchOnWindowFocus: live,
    placeholderData: keepPreviousData,
  });
}
