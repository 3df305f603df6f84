import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { modelLimitsText } from '../admin/model-limits';
import type { OwnKey } from '../api/keys';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { Facts } from '../design/facts';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { formatCount } from '../format/number';
import { formatDate, formatRelative } from '../format/time';
import { RangePicker } from '../usage/range-picker';
import { UsageBoard } from '../usage/usage-board';
import { useLineNames } from '../usage/use-line-names';
import { useRange } from '../usage/use-range';
import { KeyLayer } from './key-layer';
import type { Layer } from './key-layer';
import { isUsable, keyStateOf } from './key-state';
import { useKeys } from './use-keys';
import { useMayChangeKey } from './use-may-change-key';

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
        key &&
        mayChange(key) &&
        isUsable(key, now) && (
          <>
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
        )
      }
    >
      <Loaded query={keys} lines={6}>
        {() =>
          key ? (
            <Opened apiKey={key} now={now} />
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
  const {
    id,
    display,
    models,
    rpm,
    tpm,
    modelLimits,
    usedTokens = 0,
    quotaTokens,
    lastUsedAt,
    expiresAt,
    logContent,
  } = apiKey;
  const { tone, text } = keyStateOf(apiKey, now);
  return (
    <>
      <Card title="Key">
        <Facts
          facts={[
            [
              'State',
              <span key="state">
                <Badge tone={tone}>{text}</Badge> {logContent && <Badge tone="warn">Logged</Badge>}
              </span>,
            ],
            ['Begins and ends', <code key="display">{display}</code>],
            ['Models', models.join(', ') || 'All'],
            ['Requests per minute', rpm === null ? 'No limit' : formatCount(rpm)],
            ['Tokens per minute', tpm === null ? 'No limit' : formatCount(tpm)],
            ['Limits of models, a minute', modelLimitsText(modelLimits).replaceAll('\n', ', ') || null],
            [
              'Tokens this month',
              quotaTokens === null
                ? `${formatCount(usedTokens)}, no limit`
                : `${formatCount(usedTokens)} of ${formatCount(quotaTokens)}`,
            ],
            ['Last used', lastUsedAt === undefined ? null : lastUsedAt === null ? 'Never' : formatRelative(lastUsedAt)],
            ['Expires', expiresAt === null ? 'Never' : formatDate(expiresAt)],
            ['Id', <code key="id">{id}</code>],
          ]}
        />
      </Card>
      <div>
        <RangePicker range={range} onChange={setRange} />
      </div>
      <UsageBoard range={range} filter={{ scope: 'own', keyId: id }} divisions={divisions} nameOf={nameOf} />
    </>
  );
}
