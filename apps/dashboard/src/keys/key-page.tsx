import { useState } from 'react';
import { Link, useParams } from 'react-router';
import type { OwnKey } from '../api/keys';
import { Button } from '../design/button';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { PageSteps } from '../design/steps';
import { RangePicker } from '../usage/range-picker';
import { UsageBoard } from '../usage/usage-board';
import { useLineNames } from '../usage/use-line-names';
import { useRange } from '../usage/use-range';
import { KeyFacts } from './key-facts';
import { KeyLayer } from './key-layer';
import type { Layer } from './key-layer';
import { isUsable } from './key-state';
import { useKeys, useMayChangeKey } from './use-keys';

const divisions = ['model', 'provider'] as const;

/** A key of one's own at its address: what it may, what it used, and what can be done with it. */
export function KeyPage() {
  const { id = '' } = useParams();
  const keys = useKeys();
  const [layer, setLayer] = useState<Layer>(null);
  const mayChange = useMayChangeKey();
  const key = keys.data?.data.find((one) => one.id === id);
  const now = keys.dataUpdatedAt;
  return (
    <Page
      title={key?.name ?? 'Key'}
      hint={<Link to="/keys">All keys</Link>}
      actions={
        <>
          <PageSteps id={id} thing="key" pageOf={(other) => `/keys/${encodeURIComponent(other)}`} />
          {key && mayChange(key) && isUsable(key, now) && (
            <>
              <Button icon="edit" onClick={() => setLayer({ kind: 'rename', key })}>
                Rename
              </Button>
              <Button icon="list" onClick={() => setLayer({ kind: 'logging', key })}>
                Logging
              </Button>
              <Button icon="refresh" onClick={() => setLayer({ kind: 'rotate', key })}>
                Rotate
              </Button>
              <Button icon="trash" onClick={() => setLayer({ kind: 'revoke', key })}>
                Revoke
              </Button>
            </>
          )}
        </>
      }
    >
      <Loaded query={keys} lines={6}>
        {() =>
          key ? (
            <Opened key={id} apiKey={key} now={now} />
          ) : (
            <Empty icon="key" title="You have no such key">
              It may belong to another account. What a revoked key used stays in the reports.
            </Empty>
          )
        }
      </Loaded>
      <KeyLayer layer={layer} onLayer={setLayer} onChanged={() => void keys.refetch()} />
    </Page>
  );
}

function Opened({ apiKey, now }: { apiKey: OwnKey; now: number }) {
  const [range, setRange] = useRange('week');
  const nameOf = useLineNames(undefined);
  return (
    <>
      <KeyFacts apiKey={apiKey} now={now} />
      <div>
        <RangePicker range={range} onChange={setRange} />
      </div>
      <UsageBoard range={range} filter={{ scope: 'own', keyId: apiKey.id }} divisions={divisions} nameOf={nameOf} />
    </>
  );
}
