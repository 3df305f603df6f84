import type { DriftLine, DriftRequest } from '@tollgate/contracts/metering';
import { useQuery } from '@tanstack/react-query';
import { fetchDriftRequests } from '../api/bills';
import { Drawer } from '../design/dialog';
import { Facts } from '../design/facts';
import { Empty, Loaded } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatPicoMoney } from '../format/money';
import { formatCount } from '../format/number';
import { formatInstant } from '../format/time';
import { kindName } from './drift-of';

/** The requests behind a line of a bill. `line` null: closed. */
export function DriftDrawer({ line, onClose }: { line: DriftLine | null; onClose: () => void }) {
  return (
    <Drawer open={line !== null} onClose={onClose} title="Requests behind a difference">
      {line && <Behind line={line} />}
    </Drawer>
  );
}

function Behind({ line }: { line: DriftLine }) {
  const { provider, day, model, kind } = line;
  const requests = useQuery({
    queryKey: ['admin', 'bill requests', provider, day, model, kind],
    queryFn: () => fetchDriftRequests(line),
  });
  return (
    <>
      <Facts
        facts={[
          ['Bill', `${provider}, ${day}`],
          ['Model', model || 'all models'],
          ['Kind', kindName(kind)],
          ['Difference', formatPicoMoney(line.driftPicoUsd)],
          ['Perhaps charged beside ours', formatPicoMoney(line.estimatedPicoUsd)],
        ]}
      />
      <Loaded query={requests}>
        {({ requests: found, count }) =>
          found.length === 0 ? (
            <Empty icon="list" title="No request stands out">
              The bill tells no more than the whole line.
            </Empty>
          ) : (
            <>
              <p>
                {count > found.length
                  ? `${formatCount(found.length)} of ${formatCount(count)} requests, those that differ most first.`
                  : `${formatCount(count)} requests.`}
              </p>
              <Table
                label="Requests behind the difference"
                columns={columns}
                rows={found}
                rowId={(request) => `${request.eventId ?? ''} ${request.requestId} ${request.at ?? ''}`}
              />
            </>
          )
        }
      </Loaded>
    </>
  );
}

const reasons: Record<DriftRequest['reason'], string> = {
  amount: 'billed otherwise',
  'unknown-here': 'not known here',
  'not-billed': 'not billed',
  minute: 'in a minute that differs',
  line: 'in this line',
};

const columns: Column<DriftRequest>[] = [
  { header: 'Request', cell: ({ row }) => <span className="break">{row.original.requestId || '–'}</span> },
  { header: 'At', cell: ({ row }) => (row.original.at === null ? '–' : formatInstant(row.original.at)) },
  { header: 'Why', cell: ({ row }) => reasons[row.original.reason] },
  { header: 'Billed', meta: { end: true }, cell: ({ row }) => money(row.original.billedPicoUsd) },
  { header: 'Ours', meta: { end: true }, cell: ({ row }) => money(row.original.ratedPicoUsd) },
  {
    header: 'Perhaps',
    meta: { end: true, minor: true },
    cell: ({ row }) => formatPicoMoney(row.original.estimatedPicoUsd),
  },
];

const money = (picoUsd: string | null) => (picoUsd === null ? '–' : formatPicoMoney(picoUsd));
