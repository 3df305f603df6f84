/**
 * Reads server-sent events from text that comes in pieces of any length, cut anywhere. Gives the data of each
 * whole event; comments and other fields are left out.
 */
export class SseParser {
  private rest = '';
  private data: string[] = [];

  feed(piece: string): string[] {
    const events: string[] = [];
    const lines = (this.rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (this.data.length) events.push(this.data.join('\n'));
        this.data = [];
      } else if (line.startsWith('data:')) this.data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    }
    return events;
  }
}
