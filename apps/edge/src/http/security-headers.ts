/**
 * What every answer tells browsers: nothing in it runs, loads or is framed, and its address goes nowhere.
 * Pages and the documentation set a policy of their own instead.
 * https://cheatsheetseries.owasp.org/cheatsheets/REST_Security_Cheat_Sheet.html#security-headers
 */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/**
 * For answers over HTTPS: a year of nothing else (RFC 6797). Without subdomains, which may not be ours to
 * bind.
 */
export const httpsOnly = { 'strict-transport-security': 'max-age=31536000' } as const;

/**
 * True for a caller that came over HTTPS. Not for this machine's own name, under which other programs answer
 * without HTTPS. `host`: as the caller wrote it.
 */
export function isHttps(protocol: string | undefined, host = ''): boolean {
  return protocol === 'https' && !/^localhost(:|$)/i.test(host);
}
