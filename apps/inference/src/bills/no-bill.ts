import type { ProviderDefinition } from '@tollgate/contracts';

const importOne = 'Import its invoice: tollgate invoices import.';

/** Why no bill can be read of one provider (null: of any) of those that can be reached, and what helps. */
export function noBill(
  reachable: readonly Pick<ProviderDefinition, 'id' | 'name' | 'bills'>[],
  wanted: string | null,
): string {
  const asked = reachable.filter(({ id }) => wanted === null || id === wanted);
  const keys = asked.flatMap(({ name, bills }) => (bills ? [`${name} (${bills.keyEnv.join(' or ')})`] : []));
  if (keys.length > 0)
    return `No bill can be read, as inference has no key that may: set the one of ${keys.join(', ')}, or import an invoice: tollgate invoices import.`;
  if (wanted === null)
    return 'None of the providers with a key tells its bills. Import an invoice: tollgate invoices import.';
  const name = asked[0]?.name;
  if (name === undefined) return `No provider with a key is called ${wanted}. ${importOne}`;
  return `${name} does not tell its bills. ${importOne}`;
}
