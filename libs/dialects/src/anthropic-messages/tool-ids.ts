/**
 * Ids of tool calls as this dialect takes them: ^[a-zA-Z0-9_-]+$.
 * https://platform.claude.com/docs/en/api/messages/create One per request: the same id becomes the same text,
 * different ones stay different.
 */
export class ToolIds {
  private readonly known = new Map<string, string>();
  private readonly taken = new Set<string>();
  /** The last number given to ids that look the same once they are cleaned. */
  private readonly numbers = new Map<string, number>();

  to(id: string): string {
    const known = this.known.get(id);
    if (known !== undefined) return known;
    const clean = id.replace(/[^a-zA-Z0-9_-]/g, '_') || 'call';
    let free = clean;
    for (let n = (this.numbers.get(clean) ?? 1) + 1; this.taken.has(free); n++) {
      free = `${clean}_${n}`;
      this.numbers.set(clean, n);
    }
    this.known.set(id, free);
    this.taken.add(free);
    return free;
  }
}
