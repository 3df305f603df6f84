import { z } from 'zod';

const chunk = z.object({
  error: z.object({ message: z.string() }).optional(),
  choices: z.array(z.object({ delta: z.object({ content: z.string().nullish() }).default({}) })).default([]),
});

/** Reads a chat stream (server-sent events) and keeps what a strict client must know of it. */
export class StreamReader {
  content = '';
  /** Chunks that carried text. */
  pieces = 0;
  done = false;
  /** The error told in the stream, null when none was. */
  error: string | null = null;
  private readonly decoder = new TextDecoder();
  private rest = '';

  read(bytes: Uint8Array): void {
    const lines = (this.rest + this.decoder.decode(bytes, { stream: true })).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data:')) this.event(line.slice('data:'.length).trim());
  }

  private event(data: string): void {
    if (data === '[DONE]') {
      this.done = true;
      return;
    }
    const { error, choices } = chunk.parse(JSON.parse(data));
    if (error) this.error = error.message;
    const text = choices[0]?.delta.content;
    if (!text) return;
    this.content += text;
    this.pieces++;
  }
}
