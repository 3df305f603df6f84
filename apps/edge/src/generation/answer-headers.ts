import type { GenerationHead } from '@tollgate/contracts';

/**
 * What an upstream's or inference's head may tell the caller: an allow-list, so that no cookie, account or
 * upstream limit ever gets through.
 */
const allowed = new Set([
  'content-type',
  'x-gateway-provider',
  'x-gateway-model',
  'x-gateway-attempts',
  'x-gateway-warnings',
]);

/** Whether the sandbox gave this answer; inference alone knows. */
export function isSimulatedAnswer({ headers }: GenerationHead): boolean {
  return headers['x-gateway-sandbox'] === 'true';
}

/** The headers of a generation's head that reach the caller, in an object of the receiver's own. */
export function answerHeaders(headers: Record<string, string>): Record<string, string> {
  const told: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && allowed.has(name.toLowerCase())) told[name] = value;
  }
  return told;
}
