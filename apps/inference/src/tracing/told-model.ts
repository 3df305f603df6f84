/**
 * A quote inside a text is escaped in JSON, so an answer that speaks of a "model" is not taken for one that
 * names it.
 */
const named = /"model(?:Version)?"\s*:\s*"([^"\\]{1,200})"/;
/** Providers name the model at the beginning of an answer; further in it is not looked for. */
const lookedThrough = 4_096;

/** Which model a provider says that it answers with, found in the first bytes of its JSON or event stream. */
export class ToldModel {
  /** Null: it has not said it. */
  name: string | null = null;
  private beginning = '';

  push(bytes: Uint8Array): void {
    if (this.name !== null || this.beginning.length >= lookedThrough) return;
    const room = lookedThrough - this.beginning.length;
    this.beginning += Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, room)).toString('latin1');
    this.name = named.exec(this.beginning)?.[1] ?? null;
  }
}
