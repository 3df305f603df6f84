import type { ClientSurface, StreamReading } from './client-surface';

/** Reads a stream of server-sent events and keeps what a strict client must know of it. */
export class StreamReader implements StreamReading {
  content = '';
  pieces = 0;
  done = false;
  error: string | null = null;
  costs: string[] = [];
  private readonly decoder = new TextDecoder();
  private rest = '';

  constructor(private readonly surface: ClientSurface) {}

  read(bytes: Uint8Array): void {
    const lines = (this.rest + this.decoder.decode(bytes, { stream: true })).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines)
      if (line.startsWith('data:')) this.surface.readEvent(line.slice('data:'.length).trim(), this);
  }
}
