import type { CatalogModel, GenerationSurface } from '@tollgate/contracts';
import type { BesideQuestion } from '../planned-request';

/**
 * A request whose charge is more than tokens at the usual rates: of a tier, a speed or a region, with a search of the web, or with a prompt that a cache keeps. `members` and `headers` stand beside the question; `variant` makes
 * prompts that a cache does not know yet. `searches`: it has a fee, which an answer that is cut off does not tell.
 */
interface BilledForm {
  surface: GenerationSurface;
  model: string;
  searches: boolean;
  members: (variant: number) => Record<string, unknown>;
  headers?: Record<string, string>;
}

const gpt = 'openai/gpt-5.4-mini';
const newerGpt = 'openai/gpt-6.2-sol';
const claude = 'anthropic/claude-opus-5';
const fastMode = { 'anthropic-beta': 'fast-mode-2026-02-01' };
const messagesSearch = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] };
const responsesSearch = { tools: [{ type: 'web_search' }] };

function chat(members: Record<string, unknown>): BilledForm {
  return { surface: 'openai-chat', model: gpt, searches: false, members: () => members };
}

function responses(members: Record<string, unknown>): BilledForm {
  return { surface: 'openai-responses', model: gpt, searches: 'tools' in members, members: () => members };
}

function messages(members: Record<string, unknown>): BilledForm {
  const form = { surface: 'anthropic-messages' as const, model: claude, members: () => members };
  return { ...form, searches: 'tools' in members, ...('speed' in members && { headers: fastMode }) };
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

/** Each on the surface of its provider's own format, which passes it on as it came. */
const forms: readonly BilledForm[] = [
  chat({ service_tier: 'flex' }),
  chat({ service_tier: 'priority' }),
  responses({ service_tier: 'flex' }),
  responses({ service_tier: 'priority', ...responsesSearch }),
  responses(responsesSearch),
  messages({ speed: 'fast' }),
  messages({ inference_geo: 'us', ...messagesSearch }),
  messages({ speed: 'fast', inference_geo: 'us', ...messagesSearch }),
  cached(['5m']),
  cached(['1h', '5m'], { inference_geo: 'us' }),
  cached(['1h'], { speed: 'fast' }),
  written('30m'),
  written('12h'),
];

/** The models that the forms ask for. */
export const billedModels: readonly string[] = [gpt, newerGpt, claude];

/** What a request of a billed form changes of one without. `whole`: its answer is meant to come whole; one that is cut off searches nothing. */
export function billedForm(
  number: number,
  variant: number,
  whole: boolean,
): { surface: GenerationSurface; model: string; beside: BesideQuestion } {
  const fitting = whole ? forms : forms.filter(({ searches }) => !searches);
  const form = fitting[number % fitting.length] ?? chat({});
  const { surface, model, members, headers = {} } = form;
  return { surface, model, beside: { members: members(variant), headers } };
}

/** What the words of tiers, speeds and regions multiply, in millionths: copied by hand, as the simulated sellers' sheet is. */
const factors: Readonly<Record<string, bigint>> = {
  flex: 500_000n,
  priority: 2_000_000n,
  fast: 2_000_000n,
  us: 1_100_000n,
};

/** A sheet's rates as they are where a request was served so. */
export function sheetServed(
  sheet: NonNullable<CatalogModel['prices']>,
  words: readonly string[],
): NonNullable<CatalogModel['prices']> {
  const scaled = (rate: string): string =>
    words.reduce((value, word) => {
      const [whole = '0', fraction = ''] = value.split('.');
      const micros = BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
      const product = (micros * (factors[word] ?? 1_000_000n) + 500_000n) / 1_000_000n;
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
