import type { SeriesGroup } from '@tollgate/contracts/metering';
import { useMemo } from 'react';
import { exportAddress } from '../api/reports';
import { useSearch } from '../app/use-search';
import { ButtonLink } from '../design/button';
import { Card } from '../design/card';
import { Choice } from '../design/choice';
import { Loaded } from '../design/states';
import { useWasNear } from '../design/use-was-near';
import { usePriceDoubts } from '../models/price-doubts';
import { useRefusals } from '../requests/refusals';
import { Breakdown } from './breakdown';
import { savedByCache } from './cache-saving';
import { ChartCard } from './chart-card';
import { chartsOf } from './charts-of';
import { ExportMenu } from './export-menu';
import { linePath, requestsBehind } from './line-path';
import type { Range } from './range';
import { Slices } from './slices';
import { Tiles } from './tiles';
import styles from './usage.module.css';
import { seriesQueryOf, useSeries } from './use-series';
import type { UsageFilter } from './use-series';

type Division = Exclude<SeriesGroup, 'none'>;
const divisionNames: Record<SeriesGroup, string> = {
  none: 'Total',
  model: 'Model',
  provider: 'Provider',
  key: 'Key',
  account: 'Account',
};
const percentiles = ['p50', 'p90', 'p99'] as const;

/**
 * Everything that is counted, for a range: sums, charts, and what they are made of. What it is divided by
 * stands in the address.
 */
export function UsageBoard({
  range,
  filter,
  divisions,
  nameOf,
}: {
  range: Range;
  filter: UsageFilter;
  divisions: readonly Division[];
  nameOf: (line: string) => string;
}) {
  const [search, change] = useSearch();
  const groupBy = divisions.find((known) => known === search.get('by')) ?? 'none';
  const percentile = percentiles.find((known) => known === search.get('percentile')) ?? 'p50';
  const series = useSeries(range, groupBy, filter);
  // What was refused before a provider was asked belongs to a key, and to no model or provider.
  const hasRefusals = filter.model === undefined && filter.provider === undefined;
  const refusals = useRefusals(filter.scope, range, filter, hasRefusals);
  const doubts = usePriceDoubts();
  const byModel = useSeries(range, 'model', filter);
  const isDoubtful = byModel.data?.lines.some(({ name }) => doubts.get(name)?.unconfirmed) ?? false;
  // What stands in the tiles comes with them, or moves what is below.
  const isWhole = !byModel.isLoading && !refusals.isLoading;
  const charts = useMemo(
    () => series.data && chartsOf(series.data, nameOf, percentile),
    [series.data, nameOf, percentile],
  );
  return (
    <Loaded query={{ ...series, data: isWhole ? series.data : undefined }} lines={12}>
      {({ totals }) => (
        <>
          <Tiles
            totals={totals}
            refused={refusals.data?.total}
            unconfirmed={isDoubtful}
            savedNanoUsd={byModel.data ? savedByCache(byModel.data.lines) : null}
          />
          <div className={styles.toolbar}>
            <Choice
              label="Divide by"
              options={(['none', ...divisions] as const).map((name) => [name, divisionNames[name]] as const)}
              value={groupBy}
              onChange={(by) => change({ by: by === 'none' ? null : by })}
            />
            <div className={styles.toolbarEnd}>
              {groupBy !== 'none' && (
                <Choice
                  label="Percentile of times"
                  options={percentiles.map((name) => [name, name] as const)}
                  value={percentile}
                  onChange={(name) => change({ percentile: name })}
                />
              )}
              <ButtonLink size="small" icon="list" to={requestsBehind(filter, range)}>
                Requests
              </ButtonLink>
              <ExportMenu
                size="small"
                addressOf={(format) =>
                  exportAddress('series', format, filter.scope, seriesQueryOf(range, groupBy, filter))
                }
              />
            </div>
          </div>
          <div className={styles.charts}>
            {charts?.charts.map((chart) => (
              <ChartCard key={chart.id} chart={chart} times={charts.times} step={charts.step} />
            ))}
          </div>
          <Parts range={range} filter={filter} divisions={divisions} chosen={groupBy} nameOf={nameOf} />
          {isOfSomebody(filter) && <Slices range={range} filter={filter} />}
        </>
      )}
    </Loaded>
  );
}

/** Slices are told of an account or of keys, and of no provider. */
const isOfSomebody = ({ scope, accountId, keyId, provider }: UsageFilter) =>
  provider === undefined && (scope === 'own' || accountId !== undefined || keyId !== undefined);

/** The same sums, part by part: by what the charts are divided, else by model. */
function Parts({
  range,
  filter,
  divisions,
  chosen,
  nameOf,
}: {
  range: Range;
  filter: UsageFilter;
  divisions: readonly Division[];
  chosen: SeriesGroup;
  nameOf: (line: string) => string;
}) {
  const division = chosen === 'none' ? (divisions[0] ?? 'model') : chosen;
  const [place, wasNear] = useWasNear();
  const series = useSeries(range, division, filter, wasNear);
  const title = `By ${divisionNames[division].toLowerCase()}`;
  return (
    <Card title={title} hint={series.data?.grouped ? 'The smallest are added up as "other".' : undefined} flush>
      <div ref={place} className={styles.later}>
        {(wasNear || series.data) && (
          <Loaded query={series} inPlace>
            {(data) => (
              <Breakdown
                series={data}
                label={title}
                nameOf={nameOf}
                pathOf={(line) => linePath(division, line, filter)}
              />
            )}
          </Loaded>
        )}
      </div>
    </Card>
  );
}
