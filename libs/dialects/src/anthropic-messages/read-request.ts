import type { MediaTally } from '../media/asked-turn';
import type { InputTokens, Need, SurfaceRequest } from '../surface-dialect';
import { RequestFields, invalid } from '../canonical/request-fields';
import { isRecord, recordIn, textIn } from '../wire/json-value';
import { checkVersion } from './check-version';
import { mediaTallyOf } from './media-block';

type Headers = Readonly<Record<string, string>>;

const roles = ['user', 'assistant', 'system'] as const;

/**
 * Validates a parsed messages request: strict about what the public API names, silent about everything else.
 * https://platform.claude.com/docs/en/api/messages/create @throws GatewayError 400 naming the field.
 */
export function readRequest(body: unknown, bodyBytes: number, headers: Headers = {}): SurfaceRequest {
  const fields = RequestFields.of(body, '');
  checkVersion(fields, headers);
  const prompt = readPrompt(fields, body, bodyBytes);
  const maxOutputTokens = fields.integer('max_tokens');
  if (maxOutputTokens === undefined || maxOutputTokens < 1)
    throw invalid('max_tokens', 'is required and must be a positive integer');
  fields.checkRange('temperature', 2);
  fields.checkRange('top_p', 1);
  const topK = fields.integer('top_k');
  if (topK !== undefined && topK < 0) throw invalid('top_k', 'must be an integer of at least 0');
  const stop = fields.list('stop_sequences');
  if (stop?.every((item) => typeof item === 'string') === false)
    throw invalid('stop_sequences', 'must be an array of strings');
  const asksBeside = namedBeside(fields);
  return {
    ...prompt,
    stream: fields.boolean('stream') ?? false,
    includeUsage: false,
    maxOutputTokens,
    ...(asksBeside.length > 0 && { asksBeside }),
    endUser: textIn(fields.object('metadata'), 'user_id') ?? undefined,
  };
}

/**
 * The models that answer where this one declines, and those that advise it. Whom Anthropic chooses itself
 * (`fallbacks: "default"`) is not named.
 * https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/advisor-tool
 */
function namedBeside(fields: RequestFields): string[] {
  const asked = fields.raw('fallbacks');
  const fallbacks: unknown[] = Array.isArray(asked) ? asked : [];
  const advisers = (fields.list('tools') ?? []).filter(
    (tool) => isRecord(tool) && typeof tool.type === 'string' && tool.type.startsWith('advisor_'),
  );
  const named = [...fallbacks, ...advisers].filter(isRecord);
  return named.flatMap(({ model }) => (typeof model === 'string' ? [model] : []));
}

/** What generating and counting tokens have in common. @throws GatewayError 400 naming the field. */
export function readPrompt(
  fields: RequestFields,
  body: unknown,
  bodyBytes: number,
): Pick<SurfaceRequest, 'model' | 'needs' | 'media'> & InputTokens {
  const model = fields.text('model') ?? '';
  if (model === '') throw invalid('model', 'is required and must be a non-empty string');
  checkMessages(fields);
  const system = fields.raw('system');
  if (system !== undefined && typeof system !== 'string' && !Array.isArray(system))
    throw invalid('system', 'must be a string or an array of text blocks');
  fields.list('tools');
  for (const name of ['tool_choice', 'thinking', 'metadata', 'output_config']) fields.object(name);
  const parsed = isRecord(body) ? body : {};
  const tally = mediaTallyOf(parsed);
  return { model, ...tally.inputTokens(bodyBytes), ...needsOf(parsed, tally) };
}

function checkMessages(fields: RequestFields): void {
  const messages = fields.list('messages') ?? [];
  if (messages.length === 0) throw invalid('messages', 'is required and must be a non-empty array');
  for (const [i, value] of messages.entries()) {
    const message = RequestFields.of(value, `messages[${i}]`);
    if (message.choice('role', roles) === undefined)
      throw invalid(message.path('role'), 'is required and must be user or assistant');
    const content = message.raw('content');
    // A system message may only change the effort:
    // https://platform.claude.com/docs/en/build-with-claude/effort-per-message
    if (content === undefined && message.raw('role') === 'system' && message.object('output_config') !== undefined)
      continue;
    if (typeof content !== 'string' && !Array.isArray(content))
      throw invalid(message.path('content'), 'is required and must be a string or an array');
  }
}

function needsOf(body: Record<string, unknown>, tally: MediaTally): Pick<SurfaceRequest, 'needs' | 'media'> {
  const needs = new Set<Need>(tally.needs);
  if (Array.isArray(body.tools) && body.tools.length > 0) needs.add('tools');
  if (isRecord(body.output_format) || isRecord(recordIn(body, 'output_config').format)) needs.add('structured output');
  return { needs: [...needs], ...tally.media };
}
