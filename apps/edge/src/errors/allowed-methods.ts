import { Injectable } from '@nestjs/common';

/** The methods that each address takes, so that a wrong method is told apart from a wrong address. */
@Injectable()
export class AllowedMethods {
  private readonly exact = new Map<string, Set<string>>();
  private readonly prefixes = new Map<string, Set<string>>();

  /** Notes a route as it is registered; a path that ends in `*` stands for everything below it. */
  add(path: string, methods: string | readonly string[]): void {
    const table = path.endsWith('*') ? this.prefixes : this.exact;
    const name = path.endsWith('*') ? path.slice(0, -1) : path;
    const known = table.get(name) ?? new Set<string>();
    table.set(name, known);
    for (const method of typeof methods === 'string' ? [methods] : methods) known.add(method);
  }

  /** The methods of an address (without its query); none: there is no such address. */
  of(path: string): string[] {
    const exact = this.exact.get(path);
    if (exact) return [...exact];
    // The bare prefix itself is no address.
    for (const [prefix, methods] of this.prefixes)
      if (path.startsWith(prefix) && path.length > prefix.length) return [...methods];
    return [];
  }
}
