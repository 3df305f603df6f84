import { isOwnKeyProvider } from '@tollgate/contracts/accounts';
import { responseCacheProvider } from '@tollgate/contracts/metering';
import type { SeriesGroup, SliceDimension, WindowDimension } from '@tollgate/contracts/metering';
import { withQuery } from '../api/client';
import { modelPath, projectPath } from '../app/paths';
import { logOf } from '../requests/links';
import { searchOf } from './range';
import type { Range } from './range';
import type { UsageFilter } from './use-series';

/** What adds up the smallest, or stands for what has no name: it has no page. */
const noThing: readonly string[] = ['other', 'all', '', responseCacheProvider];

/** The page of what a line of a series is of; null: it has none. */
export function linePath(group: SeriesGroup, line: string, { scope }: Pick<UsageFilter, 'scope'>): string | null {
  if (noThing.includes(line) || (group === 'provider' && isOwnKeyProvider(line))) return null;
  const id = encodeURIComponent(line);
  const paths: Record<SeriesGroup, string | null> = {
    none: null,
    model: modelPath(line),
    key: scope === 'own' ? `/keys/${id}` : `/admin/keys/${id}`,
    provider: scope === 'own' ? `/models?provider=${id}` : `/admin/providers/${id}`,
    account: `/admin/accounts/${id}`,
  };
  return paths[group];
}

const sliceFilters: Record<SliceDimension, string> = {
  end_user: 'endUser',
  session: 'session',
  agent: 'agent',
  tag: 'tag',
};

/** The log of the requests behind sums. */
export function requestsBehind({ scope, ...part }: UsageFilter, range: Range): string {
  return withQuery(logOf(scope), { ...part, ...searchOf(range) });
}

/**
 * The log of the requests of a slice, or the page of a project; null: it is the rest, or of those that said
 * nothing.
 */
export function slicePath(dimension: WindowDimension, name: string, filter: UsageFilter, range: Range): string | null {
  if (name === '(other)' || name === '(none)') return null;
  const { scope, ...part } = filter;
  if (dimension === 'project') return projectPath(part.accountId ?? null, name);
  return withQuery(logOf(scope), { ...part, [sliceFilters[dimension]]: name, ...searchOf(range) });
}
