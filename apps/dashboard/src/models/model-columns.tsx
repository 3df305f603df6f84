import { hoursInWords } from '@tollgate/contracts/catalog';
import type { ListedModel } from '../api/catalog';
import { UnconfirmedPrice } from './price-doubts';
import { Badge } from '../design/badge';
import { RowLink } from '../design/steps';
import type { Column } from '../design/table';
import { capabilitiesOf, contextOf, priceOf, standingOf } from './model-facts';
import { modelPath } from '../app/paths';
import styles from './models.module.css';

const price = (read: (pricing: NonNullable<ListedModel['pricing']>) => string | null | undefined) => ({
  meta: { end: true },
  enableSorting: true,
  accessorFn: ({ pricing }: ListedModel) => Number((pricing && read(pricing)) ?? -1),
  cell: ({ row }: { row: { original: ListedModel } }) => {
    const { pricing } = row.original;
    return pricing ? (read(pricing) == null ? '–' : priceOf(read(pricing))) : 'Unknown';
  },
});

function successorText({ successor, redirects }: NonNullable<ListedModel['retirement']>): string | undefined {
  if (successor === null) return undefined;
  return redirects ? `Its provider answers with ${successor} from then on.` : `Use ${successor} instead.`;
}

export const modelColumns: Column<ListedModel>[] = [
  {
    header: 'Model',
    accessorFn: ({ name }) => name,
    enableSorting: true,
    sortDescFirst: false,
    cell: ({ row: { original } }) => (
      <span className={styles.name}>
        <span>
          <RowLink to={modelPath(original.id)}>
            <strong>{original.name}</strong>
          </RowLink>
          {original.status !== 'active' && (
            <span className={styles.status}>
              <Badge tone="warn">{original.status}</Badge>
            </span>
          )}
          {original.simulated && (
            <span className={styles.status}>
              <Badge tone="warn">simulated</Badge>
            </span>
          )}
          {original.retirement?.date && (
            <span className={styles.status} title={successorText(original.retirement)}>
              <Badge tone="warn">ends {original.retirement.date}</Badge>
            </span>
          )}
          {original.pricing?.unconfirmed && (
            <span className={styles.status}>
              <UnconfirmedPrice pricing={original.pricing} />
            </span>
          )}
          {(original.pricing?.hours ?? []).length > 0 && (
            <span className={styles.status} title={original.pricing?.hours?.map(hoursInWords).join('; ')}>
              <Badge>price by the hour of the day</Badge>
            </span>
          )}
          {original.pricing?.old && (
            <span className={styles.status} title="They were taken from their source too long ago to be trusted.">
              <Badge tone="warn">prices of {original.pricing.asOf}</Badge>
            </span>
          )}
          {!original.available && (
            <span className={styles.status}>
              <Badge>{standingOf(original)}</Badge>
            </span>
          )}
        </span>
        <code className="muted break">{original.id}</code>
      </span>
    ),
  },
  {
    header: 'Provider',
    accessorFn: ({ providerName }) => providerName,
    enableSorting: true,
    sortDescFirst: false,
    cell: ({ row }) => row.original.providerName,
  },
  {
    header: 'Can',
    cell: ({ row }) => (
      <span className={styles.badges}>
        {row.original.kind !== 'text' ? (
          <Badge tone="accent">{row.original.kind === 'rerank' ? 'Reranking' : 'Embeddings'}</Badge>
        ) : (
          capabilitiesOf(row.original).map((text) => <Badge key={text}>{text}</Badge>)
        )}
      </span>
    ),
  },
  {
    header: 'Context',
    meta: { end: true },
    enableSorting: true,
    accessorFn: ({ contextWindow }) => contextWindow ?? -1,
    cell: ({ row }) => contextOf(row.original),
  },
  { header: 'Input', ...price(({ input }) => input) },
  { header: 'Cached', ...price(({ cachedInput }) => cachedInput) },
  { header: 'Output', ...price(({ output }) => output) },
];
