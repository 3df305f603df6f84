import { isDeepStrictEqual } from 'node:util';
import type { DialectName, GenerationSurface } from '@tollgate/contracts';
import type { ProviderCodec, SurfaceCodec } from '../canonical/codec';
import type { Feature } from '../canonical/features';
import { isRecord, parseJson } from '../wire/json-value';
import { attempt } from './attempt.fixture';
import type { Attempt } from './attempt.fixture';
import { altered, leavesIn, pathText, without, wordsIn } from './leaves.fixture';
import type { Leaf } from './leaves.fixture';

/**
 * Leaves that only say how the surface writes a thing; the thing itself is there without them. Each needs its
 * reason.
 */
const representationOnly: Readonly<Record<GenerationSurface, readonly RegExp[]>> = {
  'openai-chat': [
    // The only kind of call in the documentation of assistants' messages that is not told by its members.
    /tool_calls\[\d+\]\.type$/,
    // The only kind of mark there is.
    /cache_control\.type$/,
    // A name for the schema, which changes nothing in the answer.
    /^response_format\.json_schema\.name$/,
  ],
  'anthropic-messages': [/cache_control\.type$/],
  'openai-responses': [
    // An item without a type is a message.
    /^input\[\d+\]\.type$/,
    // Where items are not kept, it says nothing to a model whether one was finished.
    /^input\[\d+\]\.status$/,
    // Ids of items mean something to OpenAI only, which gets them back.
    /^input\[\d+\]\.id$/,
    // The only kind of part that a summary has.
    /summary\[\d+\]\.type$/,
    // A name for the schema, which changes nothing in the answer.
    /^text\.format\.name$/,
  ],
};

/** What a provider does whether it is asked to or not, so that there is nothing to tell it. */
const alwaysSo: Partial<Record<DialectName, readonly RegExp[]>> = {
  'anthropic-messages': [
    // Its structured outputs always follow the schema, which must be closed.
    // https://platform.claude.com/docs/en/build-with-claude/structured-outputs
    /format(\.json_schema)?\.strict$/,
    // Every tool takes an object.
    /(parameters|input_schema)\.type$/,
  ],
  // Answers follow the schema; calls do where a tool is forced, and one strict tool makes all of them strict.
  // https://ai.google.dev/gemini-api/docs/function-calling#function_calling_modes
  gemini: [/format(\.json_schema)?\.strict$/, /^tools\[\d+\].*strict$/],
  // Answers follow the schema, and one switch makes all tools strict.
  // https://docs.cohere.com/docs/structured-outputs
  cohere: [/format(\.json_schema)?\.strict$/, /^tools\[\d+\].*strict$/],
  // A forced tool with a strict schema is how Converse is asked for a form.
  'bedrock-converse': [/format(\.json_schema)?\.strict$/, /(parameters|input_schema)\.type$/],
};

/** The part of a body that a warning about a dropped feature speaks of. */
const regions: Partial<Record<Feature, RegExp>> = {
  'message name': /\.name$/,
  'system message after the first turn': /^(messages|input)\[/,
  'image detail': /detail$/,
  'image by URL': /image/,
  'file by URL': /file|document/,
  'unsealed reasoning of an earlier turn': /reasoning|thinking|^input\[\d+\]\.(summary|type|id)/,
  'strict tool': /strict$/,
  'cache control': /cache_control/,
  metadata: /^metadata/,
  'JSON object': /format/,
  'JSON schema': /format/,
  'end user': /^user$|^metadata\.user_id$/,
  'refusal of an earlier turn': /refusal$/,
};

/**
 * The leaf of a sealed thought, which no other dialect can read: it is left out, as the product promises,
 * without a word.
 */
const seals = /\.(signature|data|encrypted_content)$/;

/**
 * Texts and numbers of a body that neither reached the provider nor were spoken of. `sent` is what became of
 * the body.
 */
export function unseen(
  surface: SurfaceCodec,
  provider: ProviderCodec,
  body: Record<string, unknown>,
  sent: Attempt,
): string[] {
  if (sent.refusal !== null) return [];
  const { texts, numbers } = wordsIn(sent.upstream);
  return leavesIn(body).flatMap((leaf) => {
    const path = pathText(leaf.path);
    if (isTold(path, sent.warnings) || isWord(leaf) || isDeclared(surface, provider, body, leaf)) return [];
    return contentsOf(leaf.value).every((each) => (typeof each === 'number' ? numbers.has(each) : isIn(each, texts))) ||
      isRenamed(leaf, texts)
      ? []
      : [`${path}: ${JSON.stringify(leaf.value)}`];
  });
}

/**
 * True when the request would be the same to the provider, and in what the caller is told, were the leaf left
 * out or another one.
 */
export function isWithoutEffect(
  surface: SurfaceCodec,
  provider: ProviderCodec,
  body: Record<string, unknown>,
  leaf: Leaf,
  sent: Attempt,
): boolean {
  const path = pathText(leaf.path);
  if (sent.refusal !== null || saysNothing(leaf) || isTold(path, sent.warnings)) return false;
  if (isDeclared(surface, provider, body, leaf)) return false;
  const others = [without(body, leaf), altered(body, leaf)];
  return others.every((other) => isDeepStrictEqual(attempt(surface, provider, other), sent));
}

/** As it is, or as JSON writes it inside of a text. */
function isIn(text: string, texts: string): boolean {
  return texts.includes(text) || texts.includes(JSON.stringify(text).slice(1, -1));
}

/** Names of files are written with the letters that the provider takes. */
function isRenamed({ path, value }: Leaf, texts: string): boolean {
  const plain = (text: string) => text.replaceAll(/[^a-zA-Z0-9]/g, '');
  const base = String(value).replace(/\.pdf$/, '');
  return (path.at(-1) === 'filename' || path.at(-1) === 'title') && plain(texts).includes(plain(base));
}

/** Null stands for absent, and what is empty holds nothing. */
function saysNothing({ value }: Leaf): boolean {
  return value === null || typeof value === 'object';
}

/** True for a place whose loss the caller is told of, or that needs not arrive. */
export function isExplained(
  surface: SurfaceCodec,
  provider: ProviderCodec,
  body: Record<string, unknown>,
  path: Leaf['path'],
  warnings: readonly string[],
): boolean {
  return isTold(pathText(path), warnings) || isDeclared(surface, provider, body, { path, value: null });
}

/** A leaf that needs not arrive: its reason stands in one of the lists above. */
function isDeclared(
  surface: SurfaceCodec,
  provider: ProviderCodec,
  body: Record<string, unknown>,
  leaf: Leaf,
): boolean {
  const path = pathText(leaf.path);
  return (
    [...representationOnly[surface.name], ...(alwaysSo[provider.name] ?? [])].some((pattern) => pattern.test(path)) ||
    isForeignThought(surface, provider, body, leaf) ||
    (forbidsByLeavingOut.includes(provider.name) && path.startsWith('tools[') && isNone(body.tool_choice))
  );
}

/**
 * Dialects without a word for "call no tool": the tools are left out instead.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolChoice.html
 */
const forbidsByLeavingOut: readonly DialectName[] = ['bedrock-converse'];

function isNone(choice: unknown): boolean {
  return choice === 'none' || (isRecord(choice) && choice.type === 'none');
}

function isTold(path: string, warnings: readonly string[]): boolean {
  const [top = ''] = path.split(/[.[]/);
  return warnings.some(
    (warning) =>
      warning.includes(path) ||
      (top === 'metadata' && warning.includes(top)) ||
      (/filename|title$/.test(path) && warning.startsWith('the name of a file was dropped')) ||
      warning.startsWith(`${top} `) ||
      warning.startsWith(`${top.replaceAll('_', ' ')} `) ||
      Object.entries(regions).some(
        ([feature, region]) => warning.startsWith(`${feature} was dropped`) && region.test(path),
      ),
  );
}

/** Words and settings of a dialect: the other check finds out whether they have an effect. */
function isWord({ path, value }: Leaf): boolean {
  return typeof value === 'boolean' || value === null || wordFields.has(String(path.at(-1))) || path[0] === 'include';
}
const wordFields = new Set([
  'type',
  'role',
  'model',
  'tool_choice',
  'detail',
  'reasoning_effort',
  'effort',
  'summary',
  'status',
  'ttl',
  'display',
  'format',
  'temperature',
  'top_p',
  'budget_tokens',
  'n',
  'top_logprobs',
  'media_type',
  'verbosity',
  'truncation',
  'service_tier',
]);

/** Sealed reasoning goes back to its own dialect only. */
function isForeignThought(surface: SurfaceCodec, provider: ProviderCodec, body: unknown, { path }: Leaf): boolean {
  if (surface.name === provider.name) return false;
  let at: unknown = body;
  for (const step of path) {
    if (isRecord(at) && seals.test(`.${Object.keys(at).find((name) => seals.test(`.${name}`)) ?? ''}`) && isThought(at))
      return true;
    at = Array.isArray(at) ? (at[Number(step)] as unknown) : isRecord(at) ? at[step] : undefined;
  }
  return false;
}

function isThought({ type }: Record<string, unknown>): boolean {
  return type === 'thinking' || type === 'redacted_thinking' || type === 'reasoning';
}

/**
 * What must be found upstream: the parts of a data URL, the leaves of JSON inside of a text, else the value
 * itself.
 */
function contentsOf(value: unknown): (string | number)[] {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'string') return [];
  if (value.startsWith('data:')) return [value.slice(value.indexOf(',') + 1)];
  const inner = value.startsWith('{') ? parseJson(value) : undefined;
  return inner === undefined ? [value] : leavesIn(inner).flatMap((leaf) => contentsOf(leaf.value));
}
