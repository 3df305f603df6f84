import type { DialectName, SurfaceName } from '@tollgate/contracts';
import { fromReasoning } from '../openai-chat/from-reasoning';
import { holdsFor, type UpstreamTarget } from '../provider-dialect';
import { holdsText } from '../wire/holds-text';
import { asBuffer } from '../wire/json-cursor';
import { isObject, itemsOf, membersNamed, shortMembers, shortText, textIn } from '../wire/json-walk';
import { effortOf } from './reasoning-effort';
import { RequestFields } from './request-fields';

/**
 * The dialect in which a provider must be asked what a caller asks, by the provider's own rules; null: in the
 * usual one. The body is looked at only where a rule holds for the model, which is asked for no effort only
 * where it takes none.
 */
export function dialectForTools(
  surface: SurfaceName,
  body: Uint8Array,
  target: Pick<UpstreamTarget, 'provider' | 'model' | 'upstreamModel'>,
): DialectName | null {
  const { provider, model } = target;
  const rules = provider.quirks.toolsElsewhere.filter(
    ({ dialect, models, callers }) =>
      dialect !== surface && (callers === 'all' || surface !== provider.dialect) && holdsFor(models, target),
  );
  if (rules.length === 0) return null;
  const only = rules.find(({ always }) => always);
  if (only) return only.dialect;
  const asked = membersNamed(body, ['tools', 'reasoning_effort', 'output_config', 'thinking', 'reasoning']);
  const effort = effortIn(asked);
  const hasTools = itemsOf(asked.get('tools')).next().done !== true;
  const isPlain = effort === 'none' && (model.reasoningEfforts?.includes('none') ?? true);
  const isBound = ({ unasked, efforts }: (typeof rules)[number]) =>
    (hasTools && !isPlain && (unasked || effort !== null)) || (effort !== null && efforts.includes(effort));
  return rules.find(isBound)?.dialect ?? null;
}

/** Whether a provider has a model in this one of its dialects alone. */
export function hasOnly(dialect: DialectName, target: Pick<UpstreamTarget, 'provider' | 'upstreamModel'>): boolean {
  const { toolsElsewhere: rules } = target.provider.quirks;
  return rules.some((rule) => rule.always && rule.dialect === dialect && holdsFor(rule.models, target));
}

/** The types of the tools that a caller's body offers, functions included. Empty: it offers none. */
export function toolTypesIn(body: Uint8Array): string[] {
  const types: string[] = [];
  for (const tool of toolsOf(body)) {
    const type = textIn(tool, 'type');
    if (type !== null) types.push(type);
  }
  return types;
}

/** Whether chat completions offer a tool of free text without its inner object. */
export function offersFlatTool(body: Uint8Array): boolean {
  for (const tool of toolsOf(body))
    if (textIn(tool, 'type') === 'custom' && !membersNamed(tool, ['custom']).has('custom')) return true;
  return false;
}

/** Whether chat completions may call some of their tools only (`allowed_tools`). */
export function choosesAmongSome(body: Uint8Array): boolean {
  return textIn(membersNamed(body, ['tool_choice']).get('tool_choice'), 'type') === 'allowed_tools';
}

/** Types of tools that OpenAI alone knows in responses, and of items that tell of them. */
const toolsOfOpenai = ['custom', 'namespace', 'tool_search', 'apply_patch'];
const itemsOfOpenai = ['custom_tool_call', 'tool_search_call', 'additional_tools', 'apply_patch_call'];
const webAccess = 'external_web_access';

/**
 * Whether a request for a response offers tools in forms that OpenAI alone knows, as Codex does, or tells of
 * their calls. xAI refuses all of it: https://github.com/maximhq/bifrost/issues/5428
 * https://github.com/NOirBRight/CodexHub/issues/517 https://github.com/james-6-23/codex2api/pull/516
 */
export function holdsToolsOfOpenai(body: Uint8Array): boolean {
  const bytes = asBuffer(body);
  const traces = [...toolsOfOpenai, ...itemsOfOpenai, webAccess];
  if (!traces.some((trace) => holdsText(bytes, `"${trace}"`))) return false;
  const asked = membersNamed(body, ['tools', 'input']);
  for (const tool of firstOf(asked.get('tools'), mostTools)) {
    if (toolsOfOpenai.includes(textIn(tool, 'type') ?? '')) return true;
    if (isObject(tool) && membersNamed(tool, [webAccess]).size > 0) return true;
  }
  for (const item of firstOf(asked.get('input'), mostMessages)) {
    if (itemsOfOpenai.includes(textIn(item, 'type') ?? '')) return true;
  }
  return false;
}

/** Whether the schema of a function is one of alternatives. */
export function offersUnion(body: Uint8Array): boolean {
  for (const tool of toolsOf(body)) {
    if (!isObject(tool)) continue;
    const own = membersNamed(tool, ['function', 'parameters']);
    const inner = own.get('function');
    const schema = isObject(inner) ? membersNamed(inner, ['parameters']).get('parameters') : own.get('parameters');
    if (isObject(schema) && membersNamed(schema, ['anyOf', 'oneOf']).size > 0) return true;
  }
  return false;
}

/** Whether the messages of chat completions hold a call of this type. */
export function holdsCallOf(type: string, body: Uint8Array): boolean {
  for (const message of firstOf(membersNamed(body, ['messages']).get('messages'), mostMessages)) {
    if (!isObject(message) || !holdsText(asBuffer(message), JSON.stringify(type))) continue;
    for (const call of itemsOf(membersNamed(message, ['tool_calls']).get('tool_calls')))
      if (textIn(call, 'type') === type) return true;
  }
  return false;
}

/** So many messages of a request are looked at. */
const mostMessages = 65_536;
/** So many tools of a request are looked at. */
const mostTools = 4_096;

/**
 * What chat completions and messages call the effort, and clients of OpenRouter. A budget stands for one,
 * and so does thinking that is turned on, in whatever way; null: the caller names none. What chat
 * completions call so counts first, as it does where they pass.
 */
function effortIn(asked: ReadonlyMap<string, Uint8Array>): string | null {
  const named = shortText(asked.get('reasoning_effort'));
  if (named !== null) return named;
  const said = {
    thinking: shortMembers(asked.get('thinking'), ['type', 'budget_tokens']),
    reasoning: shortMembers(asked.get('reasoning'), ['effort', 'max_tokens', 'enabled']),
  };
  const { off, effort, budgetTokens, adaptive } = fromReasoning(RequestFields.of(said, ''), []) ?? {};
  if (off === true) return 'none';
  const told = textIn(asked.get('output_config'), 'effort') ?? effort;
  if (told !== undefined) return told;
  if (budgetTokens !== undefined) return effortOf(budgetTokens);
  // One that nobody knows yet thinks, too: `off` is told above.
  const isThinking = adaptive === true || typeof said.thinking?.type === 'string';
  return isThinking ? 'medium' : null;
}

/** The tools of a request that are looked at. */
function toolsOf(body: Uint8Array): Iterable<Uint8Array> {
  return firstOf(membersNamed(body, ['tools']).get('tools'), mostTools);
}

function* firstOf(list: Uint8Array | undefined, most: number): Generator<Uint8Array, void> {
  let left = most;
  for (const item of itemsOf(list)) {
    if (left-- === 0) return;
    yield item;
  }
}
