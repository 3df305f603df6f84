/** What the key is called that shortcuts of programs begin with. */
export const metaKey = (): string => (/mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl');
