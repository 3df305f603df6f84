import type { SentRequest } from './sent-request';

/**
 * How often tools are assumed to be used that the provider runs and charges apart, and how many machines for
 * programs.
 */
export interface ToolUses {
  readonly uses: number;
  readonly sessions: number;
}

/** What is assumed of each tool of a provider whose caller sets no limit of its uses. */
const assumedUses = 10;
/** Types of tools that callers run themselves. */
const ofCallers: ReadonlySet<unknown> = new Set([undefined, 'function', 'custom']);

/**
 * What a request asks for of that, as far as it can be seen; of a body that a thread has parsed, by whether
 * it has tools at all.
 */
export function toolUses({ parsed, read }: Pick<SentRequest, 'parsed' | 'read'>): ToolUses {
  if (!isRecord(parsed))
    return read.needs.includes('tools') ? { uses: assumedUses, sessions: 1 } : { uses: 0, sessions: 0 };
  const tools = Array.isArray(parsed['tools']) ? parsed['tools'].filter(isRecord) : [];
  const hosted = tools.filter(({ type }) => !ofCallers.has(type));
  // Chat completions ask for the web in a field of their own:
  // https://platform.openai.com/docs/api-reference/chat/create
  const asked = parsed['web_search_options'] === undefined ? hosted : [...hosted, {}];
  return {
    uses: asked.reduce((sum, tool) => sum + usesOf(tool), 0),
    sessions: hosted.filter(({ type }) => /code|shell|container/.test(String(type))).length,
  };
}

/**
 * `max_uses` is Anthropic's: https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool
 */
function usesOf({ max_uses: most }: Record<string, unknown>): number {
  return typeof most === 'number' && Number.isInteger(most) && most >= 0 ? Math.min(most, 1_000) : assumedUses;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
