import type { NamedRequest } from '@tollgate/contracts';
import { Link } from 'react-router';
import type { ReportScope } from '../api/reports';
import { providerNameOf } from './provider-name';

interface Props {
  request: NamedRequest;
  scope: ReportScope;
}

const logOf = (scope: ReportScope) => (scope === 'fleet' ? '/admin/requests' : '/requests');

/** What a key is called, which leads to its requests. */
export function KeyLink({
  request: { keyId, keyName },
  scope,
}: {
  request: { keyId: string; keyName: string | null };
  scope: ReportScope;
}) {
  return (
    <Link to={`${logOf(scope)}?keyId=${encodeURIComponent(keyId)}`} className="break">
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

/** A model by its public id, which leads to it in the catalog. */
export function ModelLink({ model }: { model: string }) {
  return (
    <Link to={`/models?all=yes&q=${encodeURIComponent(model)}`} className="break">
      {model}
    </Link>
  );
}

/** Who answered; administrators are led to how the providers are, others to its models. */
export function ProviderLink({ request: { provider, cached }, scope }: Props) {
  if (provider === null || cached) return providerNameOf(provider);
  const page = scope === 'fleet' ? '/admin/providers' : `/models?provider=${encodeURIComponent(provider)}`;
  return <Link to={page}>{providerNameOf(provider)}</Link>;
}
