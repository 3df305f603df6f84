import { JsonCursor, withoutAttribution } from '@tollgate/dialects';
import type { GenerationCall } from '@tollgate/messaging';

/** Looked at of a body: most conversations begin in less, and a larger body costs no more. */
const lookedAtBytes = 64 * 1024;
const quote = 0x22;
const openBracket = 0x5b;
const openBrace = 0x7b;
/** As it is written in a string of JSON. */
const lineFeed = String.raw`\n`;

/**
 * What stays the same from turn to turn of a conversation: the words of its instructions and of its first
 * user messages, up to whatever follows them, as they are written in the body. Two conversations that begin
 * alike are one here, as they are for the prompt cache of a server. It does not get the line of Claude Code
 * that is another in each request. Empty where the look finds no such words.
 */
export function conversationOf({ body }: Pick<GenerationCall, 'body'>): string {
  return new Beginning(body).read();
}

/** Reads the beginning of a conversation in one pass over bytes that may end anywhere. */
class Beginning {
  private readonly bytes: Buffer;
  private readonly cursor: JsonCursor;
  private readonly words: string[] = [];
  private hasAsked = false;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.bytes = Buffer.from(buffer, byteOffset, Math.min(byteLength, lookedAtBytes));
    this.cursor = new JsonCursor().reset(this.bytes);
  }

  read(): string {
    try {
      this.readBody();
    } catch {
      // The look ended in the middle of the body: what it came by counts.
    }
    // No string of JSON holds a bare line feed, so that the words stay apart.
    return this.words.join('\n');
  }

  /**
   * Ends with the first turn: what stands behind the messages is beyond the look once there are more of them,
   * so it must not count before.
   */
  private readBody(): void {
    const { cursor } = this;
    for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
      const holdsTurns = ['messages', 'input', 'prompt'].some((name) => cursor.keyIs(name));
      // The `prompt` of a response is an object: what is kept at the provider.
      if (holdsTurns && cursor.peek() !== openBrace) return this.readTurns();
      if (cursor.keyIs('system') || cursor.keyIs('instructions')) this.readWords(this.words);
      else cursor.skip();
    }
  }

  /** The run of user messages is read whole: agents put one with their surroundings before the question. */
  private readTurns(): void {
    const { cursor } = this;
    if (cursor.peek() !== openBracket) return this.readWords(this.words);
    for (let more = cursor.enterArray(); more; more = cursor.nextItem()) {
      // A text is a prompt of its own, a number a token of one.
      if (cursor.peek() !== openBrace) return this.readWords(this.words);
      if (!this.readMessage() && this.hasAsked) return;
    }
  }

  /** False: it is no part of the first turn, and its words do not count. */
  private readMessage(): boolean {
    const { cursor } = this;
    const said: string[] = [];
    const roles: string[] = [];
    let isWhole = false;
    try {
      for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
        if (cursor.keyIs('role')) this.readWords(roles);
        else if (cursor.keyIs('content')) this.readWords(said);
        else cursor.skip();
      }
      isWhole = true;
    } finally {
      // Where the look ends before the role, only what nobody has spoken before is taken for the question.
      const role = roles[0] ?? (isWhole || this.hasAsked ? '' : 'user');
      if (this.isOfFirstTurn(role)) this.words.push(...said);
      this.hasAsked ||= role === 'user';
    }
    return this.isOfFirstTurn(roles[0] ?? '');
  }

  /** Instructions behind the question may be for one turn only. */
  private isOfFirstTurn(role: string): boolean {
    return role === 'user' || (!this.hasAsked && (role === 'system' || role === 'developer'));
  }

  /** Adds the words of a text, or of each text and each part with a `text` in a list. All else is passed. */
  private readWords(words: string[]): void {
    const { cursor } = this;
    if (cursor.peek() !== openBracket) return this.readText(words);
    for (let more = cursor.enterArray(); more; more = cursor.nextItem()) {
      if (cursor.peek() === openBrace) this.readPart(words);
      else this.readText(words);
    }
  }

  private readPart(words: string[]): void {
    const { cursor } = this;
    for (let more = cursor.enterObject(); more; more = cursor.nextMember()) {
      if (cursor.keyIs('text')) this.readText(words);
      else cursor.skip();
    }
  }

  /** Adds a string as it is written, also one that the look ends in. Any other value is passed. */
  private readText(words: string[]): void {
    const { cursor, bytes } = this;
    const isText = cursor.peek() === quote;
    const start = cursor.position + 1;
    let end = bytes.length;
    try {
      cursor.skip();
      end = cursor.valueEnd - 1;
    } finally {
      const said = isText ? withoutAttribution(bytes.toString('utf8', start, end), lineFeed) : '';
      if (said !== '') words.push(said);
    }
  }
}
