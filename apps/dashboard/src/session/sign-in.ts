/**
 * Where to go on. Only paths of this site are followed, so that no link can lead elsewhere by way of signing
 * in.
 */
export function pathAfterSignIn(next: string | null): string {
  return next !== null && /^\/[a-z][\w/?=&%.:-]*$/i.test(next) ? next : '/overview';
}

/**
 * What the sign-in elsewhere told when it led back here. Anybody can write such an address: what looks as if
 * it sent people somewhere is not shown, and the rest says that it is a quotation.
 */
export function reasonFrom(text: string | null): string | null {
  if (text === null) return null;
  const isPlain = text.length <= 200 && !/[/@\\]|www\.|\d{5}/i.test(text);
  return isPlain
    ? `You could not be signed in. The answer was: "${text}"`
    : 'You could not be signed in. Please try again.';
}
