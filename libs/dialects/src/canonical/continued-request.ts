import type { GenerationSurface, SurfaceName } from '@tollgate/contracts';
import { isRecord, parseJson, recordIn, textIn } from '../wire/json-value';
import { withoutBom } from '../wire/request-json';
import { membersOf, spliceObject } from '../wire/splice-object';
import type { MemberRange } from '../wire/splice-object';

/**
 * What a continued answer must have left of its limit: OpenAI takes no less.
 * https://platform.openai.com/docs/api-reference/responses/create#responses-create-max_output_tokens
 */
const leastOutputTokens = 16;

/**
 * Newer models take no beginning of their answer as the last message, so that they are told in a message
 * behind it, as Anthropic recommends.
 * https://platform.claude.com/docs/en/build-with-claude/streaming#error-recovery
 */
const goOn =
  'Your answer above was cut off by a technical fault. Go on exactly where it ends, even within a word: repeat nothing of it, begin with nothing new, and do not mention this.';

const order = { role: 'user', content: goOn };
const orderBytes = Buffer.from(JSON.stringify(order));

/** Whether a turn is the order to go on that stands behind a caller's own turns: JSON text. */
export function isOrderToGoOn(turn: Uint8Array): boolean {
  return orderBytes.equals(turn);
}

/**
 * How each surface says what counts here: the conversation, the limits of output, and the form of the answer.
 */
const forms: Readonly<
  Record<GenerationSurface, { turns: string; limits: readonly string[]; formatOf: (body: Body) => string | null }>
> = {
  'openai-chat': {
    turns: 'messages',
    limits: ['max_tokens', 'max_completion_tokens'],
    formatOf: (body) => textIn(body.value('response_format'), 'type'),
  },
  'anthropic-messages': {
    turns: 'messages',
    limits: ['max_tokens'],
    formatOf: (body) =>
      textIn(body.value('output_format'), 'type') ?? textIn(recordIn(body.value('output_config'), 'format'), 'type'),
  },
  'openai-responses': {
    turns: 'input',
    limits: ['max_output_tokens'],
    formatOf: (body) => textIn(recordIn(body.value('text'), 'format'), 'type'),
  },
};

/** Whoever offers one of these gets more than text and calls of its own tools. */
const richFields = ['web_search_options', 'functions', 'audio', 'mcp_servers', 'container'];

/**
 * Whether the answer to this request can go on at another place when its stream breaks: one answer, in text
 * or by calls of the caller's own tools. A form that the whole answer must have, and tools that a provider
 * runs, begin anew elsewhere.
 */
export function canGoOn(surface: SurfaceName, source: Uint8Array): boolean {
  const form = formOf(surface);
  if (!form) return false;
  const body = new Body(source);
  const choices = body.value('n') ?? 1;
  const format = form.formatOf(body) ?? 'text';
  const tools = body.value('tools');
  return (
    choices === 1 &&
    format === 'text' &&
    richFields.every((name) => body.value(name) == null) &&
    (!Array.isArray(tools) || tools.every(runsAtCaller))
  );
}

/**
 * The request that has an answer go on: the caller's own, with the text so far and the order to go on behind
 * it, and less of its limit of output. Null: nothing is left of that. `outputTokens`: what was generated so
 * far, thoughts included.
 */
export function continuedRequest(
  surface: SurfaceName,
  source: Uint8Array,
  text: string,
  outputTokens: number,
): Uint8Array | null {
  const form = formOf(surface);
  if (!form) return null;
  const body = new Body(source);
  const limits = form.limits.flatMap((name) => {
    const asked = body.value(name);
    return typeof asked === 'number' ? [[name, asked - outputTokens] as const] : [];
  });
  const { budget_tokens: budget = 0 } = recordIn({ thinking: body.value('thinking') }, 'thinking');
  const least = Math.max(leastOutputTokens, typeof budget === 'number' ? budget + 1 : 0);
  if (limits.some(([, left]) => left < least)) return null;
  const set = Object.fromEntries(limits.map(([name, left]) => [name, Buffer.from(String(left))]));
  if (text.trim() === '') return body.with(set);
  const turns = [{ role: 'assistant', content: text }, order];
  return body.with({ ...set, [form.turns]: body.appended(form.turns, turns) });
}

function formOf(surface: SurfaceName): (typeof forms)[GenerationSurface] | null {
  return surface in forms ? forms[surface as GenerationSurface] : null;
}

/** Tools of other types run at providers, or have calls of their own form. */
function runsAtCaller(tool: unknown): boolean {
  const type = textIn(tool, 'type') ?? 'custom';
  return isRecord(tool) && (type === 'function' || type === 'custom');
}

/** A caller's body whose members are read and changed in its bytes. */
class Body {
  private readonly source: Uint8Array;
  private readonly members: readonly MemberRange[];

  constructor(source: Uint8Array) {
    this.source = withoutBom(source);
    this.members = membersOf(this.source);
  }

  /** Undefined: there is no such member. */
  value(name: string): unknown {
    const bytes = this.bytesOf(name);
    return bytes && parseJson(bytes.toString('utf8'));
  }

  with(set: Readonly<Record<string, Uint8Array>>): Buffer {
    return spliceObject(this.source, this.members, { set });
  }

  /** A list with more at its end; a text becomes the first message of one. */
  appended(name: string, more: readonly object[]): Buffer {
    const bytes = this.bytesOf(name) ?? Buffer.from('[]');
    const added = Buffer.from(more.map((each) => JSON.stringify(each)).join(','));
    if (bytes[0] !== bracket)
      return Buffer.concat([Buffer.from('[{"role":"user","content":'), bytes, Buffer.from('},'), added, closing]);
    const isEmpty = bytes.subarray(1, -1).toString('latin1').trim() === '';
    return Buffer.concat([bytes.subarray(0, -1), Buffer.from(isEmpty ? '' : ','), added, closing]);
  }

  private bytesOf(name: string): Buffer | undefined {
    const member = this.members.findLast((each) => each.name === name);
    if (!member) return undefined;
    const { buffer, byteOffset } = this.source;
    return Buffer.from(buffer, byteOffset + member.valueStart, member.end - member.valueStart);
  }
}

const bracket = '['.charCodeAt(0);
const closing = Buffer.from(']');
