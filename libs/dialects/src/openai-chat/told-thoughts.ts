import { ReaderAround } from '../canonical/reader-around';
import type { AnswerReader, Translation } from '../provider-dialect';
import { holdsText } from '../wire/holds-text';
import { asBuffer } from '../wire/json-cursor';
import { isRecord, parseJson, textIn } from '../wire/json-value';
import { isObject, membersNamed } from '../wire/json-walk';
import { isSealed } from './kept-reasoning';
import { apart } from './thoughts-apart';

type Json = Record<string, unknown>;

/** What clients of OpenRouter ask by, and nobody else. */
const wishes = ['reasoning', 'include_reasoning', 'usage'];

/**
 * A translation that tells thoughts also as OpenRouter does to who asks in its words: its clients read
 * `reasoning` and `reasoning_details`, and not `reasoning_content`. So it does to who came to its address,
 * where they are told unless they are to be left out. Nobody else's answer is looked at.
 * https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
export function withToldThoughts(translation: Translation): Translation {
  return {
    ...translation,
    prepare: (body, target, options) => {
      const prepared = translation.prepare(body, target, options);
      if (!asksAsAtOpenRouter(body, options.tellThoughts === true)) return prepared;
      const first = options.continued?.firstBlock ?? 0;
      return { ...prepared, answerReader: () => new ThoughtsReader(prepared.answerReader(), target.stream, first) };
    },
  };
}

/**
 * Whether a body says how much to think, or asks for thoughts or for usage, as at OpenRouter. Who wants no
 * thoughts is told none twice.
 * https://openrouter.ai/docs/use-cases/usage-accounting
 */
function asksAsAtOpenRouter(body: Uint8Array, isItsAddress: boolean): boolean {
  if (!wishes.some((name) => holdsText(asBuffer(body), `"${name}"`))) return isItsAddress;
  const said = membersNamed(body, wishes);
  if (isJson(said.get('include_reasoning'), no)) return false;
  const reasoning = said.get('reasoning');
  if (isObject(reasoning)) return !isJson(membersNamed(reasoning, ['exclude']).get('exclude'), yes);
  if (isItsAddress) return true;
  const usage = said.get('usage');
  const include = isObject(usage) ? membersNamed(usage, ['include']).get('include') : undefined;
  return isJson(said.get('include_reasoning'), yes) || isJson(include, yes);
}

function isJson(json: Uint8Array | undefined, word: Buffer): boolean {
  return json !== undefined && asBuffer(json).equals(word);
}

const yes = Buffer.from('true');
const no = Buffer.from('false');

/** Adds to the whole events, or to the document, of another reader. */
class ThoughtsReader extends ReaderAround {
  private readonly thoughts: StreamedThoughts;

  /** `first`: the number of the first thought. */
  constructor(
    inner: AnswerReader,
    private readonly isStream: boolean,
    first: number,
  ) {
    super(inner);
    this.thoughts = new StreamedThoughts(first);
  }

  override push(bytes: Uint8Array): Uint8Array {
    return this.told(super.push(bytes));
  }

  override end(): Uint8Array {
    return Buffer.concat(this.endInPieces());
  }

  override endInPieces(): readonly Uint8Array[] {
    const pieces = super.endInPieces();
    if (this.isStream || pieces.length === 1) return pieces.map((piece) => this.told(piece));
    return [this.told(Buffer.concat(pieces))];
  }

  private told(bytes: Uint8Array): Uint8Array {
    const before = asBuffer(bytes);
    if (!this.thoughts.isUnderWay && !marks.some((mark) => holdsText(before, mark))) return bytes;
    const text = before.toString('utf8');
    if (this.isStream)
      return Buffer.from(
        text
          .split('\n')
          .map((line) => this.line(line))
          .join('\n'),
      );
    const value = parseJson(text);
    const told = inChoices(value, 'message', withReasoning);
    return told === value ? bytes : Buffer.from(JSON.stringify(told));
  }

  private line(line: string): string {
    if (!line.startsWith(data)) return line;
    const value = parseJson(line.slice(data.length));
    const told = inChoices(value, 'delta', (delta, choice) => this.thoughts.told(delta, choice));
    return told === value ? line : `${data} ${JSON.stringify(told)}`;
  }
}

const data = 'data:';

/** What thoughts are in: without one of these there is nothing to do. */
const marks = ['reasoning_content', 'reasoning_details', '"thinking"'];

/** An answer whose choices say what `write` makes of it; the very same where that changes nothing. */
function inChoices(answer: unknown, name: string, write: (said: Json, choice: number) => Json): unknown {
  if (!isRecord(answer) || !Array.isArray(answer.choices)) return answer;
  const before: unknown[] = answer.choices;
  const choices = before.map((choice, position) => {
    const said = isRecord(choice) ? choice[name] : undefined;
    if (!isRecord(choice) || !isRecord(said)) return choice;
    const told = write(said, typeof choice.index === 'number' ? choice.index : position);
    return told === said ? choice : { ...choice, [name]: told };
  });
  return choices.every((choice, position) => choice === before[position]) ? answer : { ...answer, choices };
}

/**
 * A message with its thoughts as `reasoning`, and in details, which clients keep and send back. The very same
 * where it has none, or OpenRouter has told them.
 */
function withReasoning(message: Json): Json {
  const said = withPlainContent(message);
  const text = textIn(said, 'reasoning_content') ?? '';
  if (text === '' || typeof said.reasoning === 'string') return said;
  const { reasoning_details: details } = said;
  const isTold = Array.isArray(details) && details.length > 0;
  return { ...said, reasoning: text, reasoning_details: isTold ? (details as unknown[]) : [detailOf(text, 0)] };
}

/** What no provider has sealed: its format says so, as details of Claude without a seal are not sent back. */
function detailOf(text: string, index: number): Json {
  return { type: 'reasoning.text', text, format: 'unknown', index };
}

/**
 * The thoughts of one stream. A seal is that of the thoughts of its number, so an attempt that goes on with
 * the answer of a broken one begins its own (`first`) behind those of that one.
 */
class StreamedThoughts {
  /** By choice, of the thought that is told: its number, and whether some of its text was. */
  private readonly open = new Map<number, { index: number; hasText: boolean }>();

  constructor(private readonly first: number) {}

  /** Whether what comes next may end a thought. */
  get isUnderWay(): boolean {
    return [...this.open.values()].some(({ hasText }) => hasText);
  }

  /**
   * A delta with its thoughts in details, too: the text of one comes in pieces of the same number, and what
   * seals it behind them, without the text that was told. One that nothing seals ends where the answer or a
   * call begins.
   */
  told(delta: Json, choice: number): Json {
    const { index, hasText } = this.open.get(choice) ?? { index: this.first, hasText: false };
    const details: unknown[] = Array.isArray(delta.reasoning_details) ? delta.reasoning_details : [];
    if (hasText && details.some(isSealed) && !isText(delta.reasoning_content) && !isText(delta.reasoning)) {
      this.open.set(choice, { index: index + 1, hasText: false });
      return { ...delta, reasoning_details: details.map((detail) => sealOf(detail, index)) };
    }
    const told = withReasoning(delta);
    const isNumbered = details.length === 0 && told.reasoning !== delta.reasoning;
    if (!hasText && !isNumbered) return told;
    const isOver = isFilled(told.content) || isFilled(told.tool_calls);
    this.open.set(choice, { index: isOver ? index + 1 : index, hasText: !isOver });
    return isNumbered ? { ...told, reasoning_details: [detailOf(textIn(told, 'reasoning') ?? '', index)] } : told;
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isFilled(value: unknown): boolean {
  return isText(value) || (Array.isArray(value) && value.length > 0);
}

function sealOf(detail: unknown, index: number): unknown {
  if (!isRecord(detail)) return detail;
  const { text: _text, ...seal } = detail;
  return { ...seal, index };
}

/** Mistral's thoughts are parts of the content, which OpenRouter's clients take for a text. */
function withPlainContent(message: Json): Json {
  const parts = apart(message.content);
  if (!parts) return message;
  const texts = parts.said.map((part) => textIn(part, 'text'));
  const content = texts.every((text) => text !== null) ? texts.join('') : parts.said;
  return { ...message, content, reasoning_content: parts.thoughts };
}
