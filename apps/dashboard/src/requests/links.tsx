import { Fragment } from 'react';
import { Link } from 'react-router';
import type { ReportScope } from '../api/reports';
import { modelPath } from '../app/paths';
import { providerNameOf } from './names';

/** The page that has the log. */
export const logOf = (scope: ReportScope) => (scope === 'fleet' ? '/admin/requests' : '/requests');

/** What a key is called, which leads to its page. */
export function KeyLink({
  request: { keyId, keyName },
  scope,
}: {
  request: { keyId: string; keyName: string | null };
  scope: ReportScope;
}) {
  const id = encodeURIComponent(keyId);
  return (
    <Link to={scope === 'own' ? `/keys/${id}` : `/admin/keys/${id}`} className="break">
      {keyName ?? <code>{keyId}</code>}
    </Link>
  );
}

/** What an account is called, which leads to its page. */
export function AccountLink({
  request: { accountId, accountName },
}: {
  request: { accountId: string; accountName: string | null };
}) {
  return (
    <Link to={`/admin/accounts/${encodeURIComponent(accountId)}`} className="break">
      {accountName ?? <code>{accountId}</code>}
    </Link>
  );
}

/** A model by its public id, which leads to its page; where room is scarce it breaks behind a slash. */
export function ModelLink({ model }: { model: string }) {
  const parts = model.split(/(?<=\/)/);
  return (
    <Link to={modelPath(model)} className="break">
      {parts.map((part, index) => (
        <Fragment key={`${index} ${part}`}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </Link>
  );
}

/** Who answered; administrators are led to how that provider is, others to its models. */
export function ProviderLink({
  request: { provider, cached },
  scope,
}: {
  request: { provider: string | null; cached?: boolean | undefined };
  scope: ReportScope;
}) {
  if (provider === null || cached) return providerNameOf(provider);
  const id = encodeURIComponent(provider);
  const page = scope === 'fleet' ? `/admin/providers/${id}` : `/models?provider=${id}`;
  return <Link to={page}>{providerNameOf(provider)}</Link>;
}
