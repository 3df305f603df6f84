/** Whether a pattern, in which `*` stands for any run of characters, is like a name. */
export function covers(pattern: string, name: string): boolean {
  const source = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${source.join('.*')}$`, 's').test(name);
}
