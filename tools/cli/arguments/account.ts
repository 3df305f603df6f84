/** Tells an account's id from its email: the two ways of naming an account. */
export function accountReference(text: string): { accountId: string } | { email: string } {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? { accountId: text } : { email: text };
}
