import { GatewayError } from '@tollgate/contracts';

/**
 * The version and the betas that a caller asked for; a caller without a version gets the provider's usual
 * one.
 * https://platform.claude.com/docs/en/api/versioning https://platform.claude.com/docs/en/api/beta-headers
 * @throws GatewayError 400 for a version that is no date.
 */
export function providerHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const { 'anthropic-version': version, 'anthropic-beta': beta } = headers;
  if (version !== undefined && !isDate(version))
    throw new GatewayError(
      400,
      "The header 'anthropic-version' must be a date of the form YYYY-MM-DD, such as 2023-06-01.",
    );
  return {
    ...(typeof version === 'string' && { 'anthropic-version': version }),
    ...(beta !== undefined && { 'anthropic-beta': typeof beta === 'string' ? beta : beta.join(',') }),
  };
}

function isDate(version: string | string[]): boolean {
  return (
    typeof version === 'string' &&
    /^\d{4}-\d{2}-\d{2}$/.test(version) &&
    !Number.isNaN(Date.parse(`${version}T00:00:00Z`))
  );
}
