/**
 * Where to go on. Only paths of this site are followed, so that no link can lead elsewhere by way of signing
 * in.
 */
export function pathAfterSignIn(next: string | null): string {
  return next !== null && /^\/[a-z][\w/?=&%.:-]*$/i.test(next) ? next : '/overview';
}
