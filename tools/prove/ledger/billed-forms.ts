import type { CatalogModel } from '@tollgate/contracts/catalog';
import type { BesideQuestion } from '../planned-request';
import type { AskedSurface } from '../client-surface';

/**
 * A request whose charge is more than tokens at the usual rates: of a tier, a speed or a region, with tools
 * that the provider runs, with an adviser or a fallback, with sound, with a prompt that a cache keeps, that
 * is long, or is shortened first, for an embedding, or at a place of which the operator has a contract.
 * `members` and `headers` stand beside the question, or in its place; `variant` makes prompts that a cache
 * does not know yet. `toldAtEnd`: a part of its charge is told behind the answer alone, so that nobody can
 * know it of one that is cut off.
 */
interface BilledForm {
  surface: AskedSurface;
  model: string;
  toldAtEnd: boolean;
  members: (variant: number, prompt: string) => Record<string, unknown>;
  /** Controls of the simulated provider that stand in the prompt. */
  controls?: string;
  headers?: Record<string, string>;
}

const gpt = 'openai/gpt-5.4-mini';
const newerGpt = 'openai/gpt-6.2-sol';
const claude = 'anthropic/claude-opus-5';
const fastMode = { 'anthropic-beta': 'fast-mode-2026-02-01' };
const gemini = 'google/gemini-3.8-flash';
const hearing = 'google/gemini-3.1-flash-lite';
const grok = 'xai/grok-4.6';
const sonar = 'perplexity/sonar';
const speaking = 'openai/gpt-audio-1.5';
const declining = 'anthropic/claude-fable-5-2';
const longReading = 'anthropic/claude-haiku-5-5';
const embedding = 'openai/text-embedding-3-small';
const contracted = 'openai/gpt-5.4';
const adviser = {
  members: { tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-5-5' }] },
  headers: { 'anthropic-beta': 'advisor-tool-2026-03-01' },
};
const fallback = {
  members: { fallbacks: [{ model: 'claude-opus-5-5' }] },
  headers: { 'anthropic-beta': 'server-side-fallback-2026-07-01' },
};
/** So many words, each of which is a token. */
const words = (count: number): string => 'so '.repeat(count);
const compacting = {
  members: {
    system: words(52_000),
    context_management: { edits: [{ type: 'compact_20260112', trigger: { type: 'input_tokens', value: 50_000 } }] },
  },
  headers: { 'anthropic-beta': 'compact-2026-01-12' },
};
const long = { system: words(102_000) };
const aloud = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'pcm16' } };
const messagesSearch = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] };
const responsesSearch = { tools: [{ type: 'web_search' }] };
const fileSearch = { type: 'file_search', vector_store_ids: ['vs_1'] };
const program = { type: 'code_interpreter', container: { type: 'auto' } };

function chat(members: Record<string, unknown>): BilledForm {
  return { surface: 'openai-chat', model: gpt, toldAtEnd: false, members: () => members };
}

/** Google's format has no callers of its own here, so that it is asked through another. */
function ofGemini(members: Record<string, unknown>): BilledForm {
  return { ...chat(members), model: gemini, toldAtEnd: 'web_search_options' in members };
}

function responses(members: Record<string, unknown>): BilledForm {
  return { surface: 'openai-responses', model: gpt, toldAtEnd: false, members: () => members };
}

function messages(members: Record<string, unknown>): BilledForm {
  const form = { surface: 'anthropic-messages' as const, model: claude, members: () => members };
  return { ...form, toldAtEnd: false, ...('speed' in members && { headers: fastMode }) };
}

/** A question with a recording behind it. */
function spoken(prompt: string): Record<string, unknown> {
  const sound = { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } };
  return { messages: [{ role: 'user', content: [{ type: 'text', text: prompt }, sound] }] };
}

/** A question with a picture and a film. */
function shown(prompt: string): Record<string, unknown> {
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  const film = { type: 'file', file: { file_data: 'data:video/mp4;base64,AAAA' } };
  return { messages: [{ role: 'user', content: [{ type: 'text', text: prompt }, picture, film] }] };
}

/** `kept`: how long a cache keeps each block of the instructions. */
function cached(kept: readonly ('5m' | '1h')[], members: Record<string, unknown> = {}): BilledForm {
  const block = (ttl: string, at: number, variant: number) => ({
    type: 'text',
    text: `Rule ${at} of ${variant}: say nothing that is not so, and say it once. `,
    cache_control: { type: 'ephemeral', ttl },
  });
  const system = (variant: number) => kept.map((ttl, at) => block(ttl, at, variant));
  return { ...messages(members), members: (variant) => ({ ...members, system: system(variant) }) };
}

/** `ttl`: how long OpenAI's cache keeps the prompt, which is charged from GPT-5.6 on. */
function written(ttl: '30m' | '12h', members: Record<string, unknown> = {}): BilledForm {
  const instructions = (variant: number): string =>
    `Rule for ${ttl} of ${variant}: say nothing that is not so, and say it once. `;
  return {
    ...responses(members),
    model: newerGpt,
    members: (variant) => ({
      ...members,
      ...{ instructions: instructions(variant), prompt_cache_key: `rules ${variant}`, prompt_cache_options: { ttl } },
    }),
  };
}

/** Each on the surface of its provider's own format, where there is one, which passes it on as it came. */
const forms: readonly BilledForm[] = [
  chat({ service_tier: 'flex' }),
  chat({ service_tier: 'priority' }),
  responses({ service_tier: 'flex' }),
  responses({ service_tier: 'priority', ...responsesSearch }),
  responses(responsesSearch),
  responses({ tools: [fileSearch] }),
  responses({ tools: [program, fileSearch], service_tier: 'priority' }),
  ofGemini({ service_tier: 'flex' }),
  ofGemini({ service_tier: 'priority' }),
  ofGemini({ web_search_options: {} }),
  ofGemini({ web_search_options: {}, service_tier: 'flex' }),
  { ...messages(adviser.members), headers: adviser.headers, toldAtEnd: true },
  messages({ speed: 'fast' }),
  messages({ inference_geo: 'us', ...messagesSearch }),
  messages({ speed: 'fast', inference_geo: 'us', ...messagesSearch }),
  cached(['5m']),
  cached(['1h', '5m'], { inference_geo: 'us' }),
  cached(['1h'], { speed: 'fast' }),
  written('30m'),
  written('12h'),
  messages({ tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }, ...messagesSearch.tools] }),
  messages({ tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }),
  { ...messages({}), controls: 'tier=batch' },
  { ...messages({ inference_geo: 'us' }), controls: 'tier=priority' },
  { ...responses({ tools: [{ type: 'image_generation' }] }), toldAtEnd: true },
  { ...responses({ tools: [{ type: 'web_search' }, { type: 'x_search' }] }), model: grok, toldAtEnd: true },
  { ...responses({ tools: [{ type: 'code_interpreter' }] }), model: grok },
  { ...chat({}), model: sonar },
  { ...chat({ web_search_options: { search_context_size: 'high' } }), model: sonar, toldAtEnd: true },
  { ...chat({}), model: hearing, members: (_variant, prompt) => spoken(prompt), toldAtEnd: true },
  { ...chat({}), model: hearing, members: (_variant, prompt) => shown(prompt), toldAtEnd: true },
  { ...chat(aloud), model: speaking, toldAtEnd: true },
  {
    ...chat(aloud),
    model: speaking,
    members: (_variant, prompt) => ({ ...aloud, ...spoken(prompt) }),
    toldAtEnd: true,
  },
  {
    ...messages(fallback.members),
    model: declining,
    controls: 'finish=refusal',
    headers: fallback.headers,
    toldAtEnd: true,
  },
  { ...messages(compacting.members), headers: compacting.headers, toldAtEnd: true },
  { ...messages(long), model: longReading },
  { ...chat({ dimensions: 8 }), surface: 'openai-embeddings', model: embedding, toldAtEnd: true },
  { ...chat({ service_tier: 'flex' }), model: contracted },
  { ...responses(responsesSearch), model: contracted },
];

/** The models that the forms ask for. */
export const billedModels: readonly string[] = [
  ...[gpt, newerGpt, claude, gemini, hearing, grok, sonar],
  ...[speaking, declining, longReading, embedding, contracted],
];

/** What a request of a billed form changes of one without. `whole`: its answer is meant to come whole. */
export function billedForm(
  number: number,
  variant: number,
  whole: boolean,
  prompt: (controls: string) => string,
): { surface: AskedSurface; model: string; prompt: string; beside: BesideQuestion } {
  const fitting = whole ? forms : forms.filter(({ toldAtEnd }) => !toldAtEnd);
  const form = fitting[number % fitting.length] ?? chat({});
  const { surface, model, members, controls = '', headers = {} } = form;
  const question = prompt(controls);
  return { surface, model, prompt: question, beside: { members: members(variant, question), headers } };
}

/**
 * What the words of tiers, speeds and regions multiply, in millionths: copied by hand, as the simulated
 * sellers' sheet is.
 */
const factors: Readonly<Record<string, bigint>> = {
  flex: 500_000n,
  priority: 2_000_000n,
  'google priority': 1_800_000n,
  fast: 2_000_000n,
  us: 1_100_000n,
  batch: 500_000n,
};

/** Words of what is sold by contract alone, for which no page prints a price. */
const byContract: readonly string[] = ['anthropic priority'];

/** Whether what served a request of this model has no price. */
export function isUnpriced(model: string, words: readonly string[]): boolean {
  return words.some((word) => byContract.includes(`${model.split('/')[0]} ${word}`));
}

/** Whether its one place has a contract of the operator's (tollgate.yaml of the proof). */
export function hasContract(model: string): boolean {
  return model === contracted;
}

/** Pico-dollars less 15 % by the contract, and 7 % more for callers, each part rounded half up. */
export function underContract(model: string, picos: bigint): bigint {
  if (!hasContract(model)) return picos;
  const left = picos - (picos * 15n + 50n) / 100n;
  return left + (left * 7n + 50n) / 100n;
}

/** What a use of a tool costs, in nano-dollars. */
const unitNanoUsd: Readonly<Record<string, bigint>> = {
  webSearch: 10_000_000n,
  'google webSearch': 14_000_000n,
  fileSearch: 2_500_000n,
  codeSession: 30_000_000n,
  'xai webSearch': 5_000_000n,
  xPost: 5_000_000n,
  'xai codeExecution': 5_000_000n,
  highSearchContext: 7_000_000n,
  'gpt-image-2 text input': 5_000n,
  'gpt-image-2 image output': 30_000n,
};

/** What is printed for the model's provider, else for all; 0 for what nobody charges for. */
function printed(prices: Readonly<Record<string, bigint>>, model: string, name: string): bigint | undefined {
  return prices[`${model.split('/')[0]} ${name}`] ?? prices[name];
}

/** What the uses of tools cost at a model's provider, in nano-dollars. */
export function nanoUsdOfUnits(model: string, units: Readonly<Record<string, number>>): bigint {
  return Object.entries(units).reduce(
    (sum, [name, uses]) => sum + BigInt(uses) * (printed(unitNanoUsd, model, name) ?? 0n),
    0n,
  );
}

/** The rates of a model's sheet as they are where a request was served so. */
export function sheetServed(
  { id, prices: sheet }: Pick<CatalogModel, 'id'> & { prices: NonNullable<CatalogModel['prices']> },
  words: readonly string[],
): NonNullable<CatalogModel['prices']> {
  const scaled = (rate: string): string =>
    words.reduce((value, word) => {
      const [whole = '0', fraction = ''] = value.split('.');
      const micros = BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
      const product = (micros * (printed(factors, id, word) ?? 1_000_000n) + 500_000n) / 1_000_000n;
      return `${product / 1_000_000n}.${String(product % 1_000_000n).padStart(6, '0')}`;
    }, rate);
  const { input, output, cachedInput, cacheWrite5m, cacheWrite1h } = sheet;
  return {
    ...sheet,
    input: scaled(input),
    output: scaled(output),
    ...(cachedInput && { cachedInput: scaled(cachedInput) }),
    ...(cacheWrite5m && { cacheWrite5m: scaled(cacheWrite5m) }),
    ...(cacheWrite1h && { cacheWrite1h: scaled(cacheWrite1h) }),
  };
}
