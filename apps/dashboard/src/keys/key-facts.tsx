import type { KeySummary } from '@tollgate/contracts/accounts';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { modelLimitsText } from '../admin/model-limits';
import { Badge } from '../design/badge';
import { Card } from '../design/card';
import { Facts } from '../design/facts';
import { formatCount } from '../format/number';
import { formatDate, formatRelative } from '../format/time';
import { projectPath } from '../app/paths';
import { keyStateOf } from './key-state';

/**
 * What a key is and may, and what it used. `whose`: facts of whose it is, where that is not plain;
 * `accountOf`: its account, where it is not one's own.
 */
export function KeyFacts({
  apiKey,
  now,
  whose = [],
  accountOf = null,
}: {
  apiKey: KeySummary & { usedTokens?: number | undefined; lastUsedAt?: number | null | undefined };
  now: number;
  whose?: [string, ReactNode][];
  accountOf?: string | null;
}) {
  const { id, display, models, rpm, tpm, modelLimits, lastUsedAt, expiresAt, logContent, project, ownKeyProviders } =
    apiKey;
  const { tone, text } = keyStateOf(apiKey, now);
  return (
    <Card title="Key">
      <Facts
        facts={[
          [
            'State',
            <span key="state">
              <Badge tone={tone}>{text}</Badge> {logContent && <Badge tone="warn">Logged</Badge>}
            </span>,
          ],
          ...whose,
          [
            'Project',
            project === null ? null : (
              <Link key="project" to={projectPath(accountOf, project)}>
                {project}
              </Link>
            ),
          ],
          ['Begins and ends', <code key="display">{display}</code>],
          ['Models', models.join(', ') || 'All'],
          ['Goes with own keys of', ownKeyProviders?.join(', ') ?? null],
          ['Requests per minute', limitWords(rpm)],
          ['Tokens per minute', limitWords(tpm)],
          ['Limits of models, a minute', modelLimitsText(modelLimits).replaceAll('\n', ', ') || null],
          ['Tokens this month', quotaWords(apiKey)],
          ['Last used', lastUsedAt === undefined ? null : lastUsedAt === null ? 'Never' : formatRelative(lastUsedAt)],
          ['Expires', expiresAt === null ? 'Never' : formatDate(expiresAt)],
          ['Id', <code key="id">{id}</code>],
        ]}
      />
    </Card>
  );
}

const limitWords = (limit: number | null) => (limit === null ? 'No limit' : formatCount(limit));

const quotaWords = ({ usedTokens = 0, quotaTokens }: { usedTokens?: number | undefined; quotaTokens: number | null }) =>
  quotaTokens === null
    ? `${formatCount(usedTokens)}, no limit`
    : `${formatCount(usedTokens)} of ${formatCount(quotaTokens)}`;
