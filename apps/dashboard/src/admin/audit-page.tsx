import { useInfiniteQuery } from '@tanstack/react-query';
import type { NamedAuditLine } from '@tollgate/contracts';
import { auditExportAddress, fetchAudit } from '../api/admin';
import type { AuditFilters } from '../api/admin';
import { byCursor } from '../api/by-cursor';
import { useSearch } from '../app/use-search';
import { Card } from '../design/card';
import { SearchField, SelectField } from '../design/field';
import { LoadedPages } from '../design/loaded-pages';
import { Page } from '../design/page';
import { Empty } from '../design/states';
import { ExportMenu } from '../usage/export-menu';
import styles from './admin.module.css';
import { inWords } from './audit-changes';
import { AuditTable } from './audit-table';

/** What is done here, by whichever service. */
const actions = [
  ...['access-requested', 'account-changed', 'role-changed', 'first-administrator-made', 'operator-account-made'],
  'reset-link-made',
  ...['person-invited', 'invitation-withdrawn', 'person-joined', 'person-changed', 'person-removed'],
  ...['second-factor-enabled', 'second-factor-removed', 'second-factor-reset', 'recovery-codes-renewed'],
  ...['passkey-added', 'passkey-renamed', 'passkey-removed'],
  ...['key-created', 'key-changed', 'key-rotated', 'key-revoked', 'content-read', 'content-removed'],
  ...['model-enabled', 'model-disabled', 'deployment-opened', 'deployment-drained', 'deployment-closed'],
  ...['dead-letter-replayed', 'dead-letter-dropped', 'settings-change-asked', 'settings-rollback-asked'],
  ...['plan-change-asked', 'plan-removal-asked'],
  ...['model-change-asked', 'model-removal-asked'],
  ...['price-change-asked', 'price-removal-asked', 'price-withdrawal-asked'],
  ...['guardrail-change-asked', 'guardrail-removal-asked'],
  ...['webhook-created', 'webhook-removed', 'webhook-tested'],
  ...['factor-change-asked', 'factor-removal-asked', 'factor-withdrawal-asked'],
] satisfies NamedAuditLine['action'][];

export function AuditPage() {
  const [search, change] = useSearch();
  const filters: AuditFilters = Object.fromEntries(
    ['accountId', 'action', 'query'].flatMap((name) => (search.get(name) ? [[name, search.get(name)]] : [])),
  );
  const lines = useInfiniteQuery({
    queryKey: ['admin', 'audit', filters],
    queryFn: ({ pageParam }) => fetchAudit({ ...filters, ...(pageParam && { after: pageParam }) }),
    ...byCursor,
  });
  return (
    <Page
      title="Audit log"
      hint="Who changed what, and when. Nobody can change it."
      actions={<ExportMenu addressOf={(format) => auditExportAddress(format, filters)} />}
    >
      <div className={styles.toolbar} role="search" aria-label="Filter the audit log">
        <SelectField
          label="What"
          hiddenLabel
          value={filters.action ?? ''}
          onChange={(event) => change({ action: event.target.value })}
        >
          <option value="">Everything</option>
          {actions.map((action) => (
            <option key={action} value={action}>
              {inWords(action)}
            </option>
          ))}
        </SelectField>
        <SearchField
          label="Search by person, account or key"
          value={filters.query ?? ''}
          onChange={(event) => change({ query: event.target.value }, 'replace')}
        />
      </div>
      <Card flush>
        <LoadedPages
          query={lines}
          lines={8}
          empty={<Empty icon="book" title={search.size > 0 ? 'Nothing fits' : 'Nothing was changed yet'} />}
          next="Show older ones"
        >
          {(rows, more) => <AuditTable lines={rows} more={more} />}
        </LoadedPages>
      </Card>
    </Page>
  );
}
