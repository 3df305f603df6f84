import { useInfiniteQuery } from '@tanstack/react-query';
import type { Webhook, WebhookDelivery } from '@tollgate/contracts/accounts';
import { useMemo } from 'react';
import { byCursor } from '../api/by-cursor';
import { fetchDeliveries } from '../api/webhooks';
import { Badge } from '../design/badge';
import { Card } from '../design/card';
import { LoadedPages } from '../design/loaded-pages';
import { Empty } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatInstant, formatLogTime } from '../format/time';
import { alertNames, answerText, nextTryText, standingOf } from './webhook-words';

/** A test arrives within seconds. */
const followMs = 3_000;
export const deliveriesKey = ['admin', 'webhook-deliveries'] as const;

/** What became of each alert. `webhooks`: by which they are named; undefined: not known. */
export function DeliveriesCard({ webhooks }: { webhooks: Webhook[] | undefined }) {
  const deliveries = useInfiniteQuery({
    queryKey: deliveriesKey,
    queryFn: ({ pageParam }) => fetchDeliveries(pageParam ?? undefined),
    ...byCursor,
    refetchInterval: followMs,
  });
  const columns = useMemo(() => columnsOf(new Map(webhooks?.map(({ id, name }) => [id, name]))), [webhooks]);
  return (
    <Card
      title="Deliveries"
      hint="Of the last 30 days. What was not taken is tried again, twelve times in about two days."
      flush
    >
      <LoadedPages
        query={deliveries}
        lines={6}
        next="Show older ones"
        empty={
          <Empty icon="inbox" title="Nothing was sent yet">
            Alerts show here with what the receiver answered. A test shows whether they arrive.
          </Empty>
        }
      >
        {(rows, more) => <Table label="Deliveries" columns={columns} rows={rows} rowId={({ id }) => id} more={more} />}
      </LoadedPages>
    </Card>
  );
}

const columnsOf = (names: ReadonlyMap<string, string>): Column<WebhookDelivery>[] => [
  {
    header: 'When',
    meta: { whole: true },
    cell: ({ row: { original } }) => (
      <span title={formatInstant(original.createdAt)}>{formatLogTime(original.createdAt)}</span>
    ),
  },
  {
    header: 'To',
    cell: ({ row }) => <span className="break">{names.get(row.original.webhookId) ?? row.original.webhookId}</span>,
  },
  { header: 'Alert', cell: ({ row }) => alertNames[row.original.kind] },
  {
    header: 'State',
    cell: ({ row }) => {
      const { text, tone } = standingOf(row.original);
      return <Badge tone={tone}>{text}</Badge>;
    },
  },
  { header: 'Tries', meta: { end: true }, cell: ({ row }) => row.original.attempts },
  { header: 'Next try', cell: ({ row: { original } }) => nextTryText(original, Date.now()) ?? '–' },
  { header: 'Answer', cell: ({ row }) => <span className="break">{answerText(row.original) ?? '–'}</span> },
];
