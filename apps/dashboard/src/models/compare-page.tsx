import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { ListedModel } from '../api/catalog';
import { useCatalog } from '../api/catalog';
import { fetchSeries } from '../api/reports';
import { useSearch } from '../app/use-search';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { SelectField } from '../design/field';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { comparedFacts } from './compare-facts';
import type { Compared, ComparedFact } from './compare-facts';
import { modelPath } from '../app/paths';
import styles from './models.module.css';
import { mostCompared, pickedFrom, pickedText, toggled } from './picked-models';

const weekMs = 7 * 86_400_000;
const own = 'own';

/** Models side by side: what they are, what they cost, and how they did for whoever looks. */
export function ComparePage() {
  const [search, change] = useSearch();
  const catalog = useCatalog();
  const picked = pickedFrom(search.get('models'));
  const set = (ids: string[]) => change({ models: pickedText(ids) });
  return (
    <Page title="Compare models" hint={<Link to="/models">All models</Link>}>
      <Loaded query={catalog} lines={8}>
        {({ models }) => {
          const found = picked.flatMap((id) => models.find((model) => model.id === id) ?? []);
          return (
            <>
              <Picker models={models} picked={picked} onPick={(id) => set(toggled(picked, id))} />
              {found.length === 0 ? (
                <Empty icon="cube" title="No model is picked">
                  Pick up to four, here or in the list of models.
                </Empty>
              ) : (
                <SideBySide models={found} />
              )}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function Picker({
  models,
  picked,
  onPick,
}: {
  models: readonly ListedModel[];
  picked: readonly string[];
  onPick: (id: string) => void;
}) {
  const others = models.filter(({ id, available }) => available && !picked.includes(id));
  return (
    <div className={styles.picked}>
      {picked.map((id) => (
        <Button key={id} size="small" icon="close" aria-label={`Take ${id} away`} onClick={() => onPick(id)}>
          {id}
        </Button>
      ))}
      {picked.length < mostCompared && (
        <SelectField label="Add a model" hiddenLabel value="" onChange={(event) => onPick(event.target.value)}>
          <option value="">Add a model…</option>
          {others.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </SelectField>
      )}
    </div>
  );
}

function SideBySide({ models }: { models: ListedModel[] }) {
  const measured = useMeasured(models);
  const compared = models.map((model, index): Compared => ({ model, measured: measured[index] ?? null }));
  const columns: Column<ComparedFact>[] = [
    { header: 'What', meta: { whole: true }, cell: ({ row }) => row.original.name },
    ...compared.map((one): Column<ComparedFact> => ({
      id: one.model.id,
      header: one.model.name,
      cell: ({ row }) => <span className="break">{row.original.of(one)}</span>,
    })),
  ];
  return (
    <Card
      title="Side by side"
      hint="US dollars per million tokens. Requests, errors and times are those of your account in the last seven days."
      flush
    >
      <p className={styles.links}>
        {models.map(({ id, name }) => (
          <Link key={id} to={modelPath(id)}>
            {name}
          </Link>
        ))}
      </p>
      <Table label="Models side by side" columns={columns} rows={[...comparedFacts]} rowId={({ name }) => name} />
    </Card>
  );
}

/** The sums of each model over the last week; undefined: not known yet. */
function useMeasured(models: readonly ListedModel[]) {
  const [endAt] = useState(Date.now);
  const window = { startAt: endAt - weekMs, endAt, step: 'day', timeZone: 'UTC', groupBy: 'none' } as const;
  const found = useQueries({
    queries: models.map(({ id: model }) => ({
      queryKey: ['compared', model, endAt],
      queryFn: () => fetchSeries(own, { ...window, model, maxLines: 1 }),
    })),
  });
  return found.map(({ data }) => data?.totals);
}
