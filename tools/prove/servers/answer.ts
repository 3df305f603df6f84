import { callers } from '@tollgate/testing';
import type { Question } from './questions';

type Json = Record<string, unknown>;

/** What came of a question. `usage`: input and output tokens as told, null where nothing was. */
export interface Answer {
  status: number;
  /** The document, or the stream put together, without what is new in every answer. */
  content: unknown;
  /** Of a stream: whether it ended with `[DONE]`. */
  isDone?: boolean;
  usage: [input: number, output: number] | null;
  /** What a person is told who is refused; empty for an answer. */
  message: string;
  /** The header of that name. */
  retryAfter: string | null;
}

/**
 * New in every answer, or of the machine: names, times, and what a prompt cache happened to hold; and
 * `stop_sequence`.
 * docs/servers.md names them. `input_tokens` is compared as a part of the usage, with what the cache held.
 */
const volatile = new Set([
  ...['id', 'created', 'model', 'system_fingerprint', 'timings', 'created_at', 'completed_at', 'stop_sequence'],
  ...['prompt_tokens_details', 'input_tokens_details', 'cache_read_input_tokens', 'input_tokens'],
]);

/** Asks and reads to the end. */
export async function answerTo(
  url: string,
  { path, body, isStream = false }: Question,
  model: string,
  headers: Record<string, string> = {},
  timeoutMs = 120_000,
): Promise<Answer> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...body, model }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  if (!response.ok) return refusal(response, text);
  return isStream ? streamAnswer(text, path) : documentAnswer(text);
}

/**
 * A sentence for each thing in which the gateway's answer is another than the server's own. `isTranslated`:
 * only words and usage have to be equal.
 */
export function differences(direct: Answer, through: Answer, isTranslated: boolean): string[] {
  if (direct.status !== through.status)
    return [`${direct.status} directly, ${through.status} through us: ${through.message}`];
  if (direct.status >= 400)
    return isTold(direct.message, through.message)
      ? []
      : [`its text "${direct.message}" is lost: "${through.message}"`];
  const [theirs, ours] = isTranslated ? [wordsOf(direct), wordsOf(through)] : [direct.content, through.content];
  return [
    ...(JSON.stringify(theirs) === JSON.stringify(ours)
      ? []
      : [`${JSON.stringify(theirs).slice(0, 600)} directly, ${JSON.stringify(ours).slice(0, 600)} through us`]),
    ...(direct.isDone === through.isDone
      ? []
      : [`${direct.isDone ? 'a' : 'no'} [DONE] directly, ${through.isDone ? 'one' : 'none'} through us`]),
    ...(String(direct.usage) === String(through.usage)
      ? []
      : [`usage ${direct.usage?.join(' + ')} directly, ${through.usage?.join(' + ')} through us`]),
  ];
}

/** A text of more than a thousand letters is cut, and ends with a mark. */
function isTold(text: string, message: string): boolean {
  return message.includes(text) || (message.endsWith('…') && text.includes(message.slice(-500, -1)));
}

function refusal({ status, headers }: Response, text: string): Answer {
  const body = parsed(text);
  const error = member(body, 'error');
  const message = [error.message, body.message, body.detail, body.error].find((each) => typeof each === 'string');
  return {
    status,
    content: null,
    usage: null,
    message: String(message ?? text),
    retryAfter: headers.get('retry-after'),
  };
}

function documentAnswer(text: string): Answer {
  const body = parsed(text);
  return { status: 200, content: steady(body), usage: usageIn(body), message: '', retryAfter: null };
}

/** The deltas of a stream put together, with its last usage. */
export function streamAnswer(text: string, path: string): Answer {
  const events = eventsIn(text);
  const usage = events.map(usageIn).findLast((each) => each !== null) ?? null;
  const failure = events.find(({ error }) => typeof error === 'object' && error !== null);
  const finishes = events.flatMap(({ choices }) => list(choices).flatMap((choice) => choice.finish_reason ?? []));
  const words = choicesIn(text).map((choice) => wordsOfChoice(choice, path));
  const content = steady({ words, finishes, ...(failure && { failure }) });
  return { status: 200, content, isDone: text.includes('data: [DONE]'), usage, message: '', retryAfter: null };
}

/** A stream as if each of its choices were alone: how they are mixed is never the same twice. */
function choicesIn(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => ({ line, indexes: indexesIn(line) }));
  const indexes = [...new Set(lines.flatMap((each) => each.indexes))].toSorted((one, other) => one - other);
  return (indexes.length === 0 ? [0] : indexes).map((index) =>
    lines.flatMap((each) => (each.indexes.some((other) => other !== index) ? [] : each.line)).join('\n'),
  );
}

function indexesIn(line: string): number[] {
  return eventsIn(line).flatMap(({ choices }) => list(choices).map(({ index }) => Number(index)));
}

/** What was said in a stream of one choice. */
function wordsOfChoice(text: string, path: string): unknown {
  if (path === '/v1/chat/completions') return callerOf(path)?.read(text, true).message;
  return eventsIn(text)
    .flatMap(({ choices }) => list(choices).map((choice) => choice.text))
    .join('');
}

function eventsIn(text: string): Json[] {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith('data: ') && !line.endsWith('[DONE]'));
  return lines.map((line) => parsed(line.slice('data: '.length)));
}

function callerOf(path: string) {
  const surfaces: Record<string, string> = {
    '/v1/chat/completions': 'openai-chat',
    '/v1/messages': 'anthropic-messages',
    '/v1/responses': 'openai-responses',
  };
  return callers.find(({ surface }) => surface === surfaces[path]);
}

/** Everything that was said in a document, of whatever form. */
function wordsOf({ content }: Answer): string {
  return (
    JSON.stringify(content)
      .match(/"(?:content|text)":"[^"]+"/g)
      ?.map((each) => each.replace(/^"\w+":/, ''))
      .join('') ?? ''
  );
}

/** The value without what is new in every answer, with its fields in the order of their names. */
function steady(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(steady);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value as Json).filter(([name]) => !volatile.has(name));
  return Object.fromEntries(
    fields.toSorted(([a], [b]) => a.localeCompare(b)).map(([name, each]) => [name, steady(each)]),
  );
}

function usageIn(body: Json): Answer['usage'] {
  const usage = member(body, 'usage');
  const cached = Number(usage.cache_read_input_tokens ?? 0);
  const input = usage.prompt_tokens ?? usage.input_tokens;
  if (typeof input !== 'number') return null;
  return [input + cached, Number(usage.completion_tokens ?? usage.output_tokens ?? 0)];
}

function parsed(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Json) : {};
  } catch {
    return {};
  }
}

function member(value: Json, name: string): Json {
  const found = value[name];
  return typeof found === 'object' && found !== null ? (found as Json) : {};
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? (value as Json[]) : [];
}
