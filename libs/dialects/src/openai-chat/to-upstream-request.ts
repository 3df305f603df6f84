import { loweredLimits } from '../canonical/lowered-limits';
import { shortNamesIn } from '../canonical/short-names';
import type { UpstreamRequest, UpstreamTarget } from '../provider-dialect';
import { parseRequestJson, withoutBom } from '../wire/request-json';
import {
  inJson,
  membersOf,
  nullsIn,
  splicedPieces,
  spliceObject,
  valueOf,
  type MemberRange,
  type ObjectEdits,
} from '../wire/splice-object';
import { countInputTokens } from './count-input-tokens';
import { inOwnWords, unsaid, wantsNoThoughts } from './foreign-settings';
import { refusedFields, settingNames, takenSettings, withInstruction, thinkingOff } from './taken-settings';
import { takenMessages } from './taken-messages';
import { parseJson } from '../wire/json-value';

/** What a header may say, and how long. */
const sayable = /^[\x21-\x7e]{1,512}$/;

/**
 * The header that leads a conversation's requests to the server that has its cache, where the provider has
 * one and the caller names the conversation by `promptCacheKey`.
 * https://docs.x.ai/developers/advanced-api-usage/prompt-caching/maximizing-cache-hits
 */
export function conversationHeader({ provider }: UpstreamTarget, promptCacheKey: unknown): Record<string, string> {
  const name = provider.quirks.conversationHeader;
  if (name === null || typeof promptCacheKey !== 'string' || !sayable.test(promptCacheKey)) return {};
  return { [name]: promptCacheKey };
}

/** The `prompt_cache_key` in a caller's bytes; undefined: there is none. */
function promptCacheKeyIn(source: Uint8Array, members: readonly MemberRange[]): unknown {
  const member = members.findLast(({ name }) => name === 'prompt_cache_key');
  return member && parseJson(Buffer.from(source.subarray(member.valueStart, member.end)).toString('utf8'));
}

/**
 * What becomes of `reasoning_effort`: members that are set, as JSON text, and names of those that are left
 * out.
 */
interface EffortEdits {
  set: Record<string, Uint8Array>;
  drop: string[];
}

const asSaid: EffortEdits = { set: {}, drop: [] };

/**
 * Fields that the gateway reads or sets: of duplicates only the last one is sent, which is the one that was
 * validated.
 */
const ownedFields = [
  'model',
  'messages',
  'prompt',
  'suffix',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'stop',
  'n',
  'user',
  'safety_identifier',
  'prompt_cache_key',
];

const limitFields = ['max_tokens', 'max_completion_tokens'];
const usageAsked = Buffer.from('{"include_usage":true}');
const yes = Buffer.from('true');

/**
 * The caller's own bytes with the provider's model name, and usage asked for; everything else as it came.
 * What is null is not said.
 */
export function toUpstreamRequest(body: Uint8Array, target: UpstreamTarget): UpstreamRequest {
  const given = withoutBom(body);
  const namedThere = membersOf(given);
  const settingWarnings: string[] = [];
  const own = inOwnWords(given, namedThere, target, settingWarnings);
  const source = own ?? given;
  const members = own ? membersOf(own) : namedThere;
  const { quirks } = target.provider;
  const nullNames = nullsIn(source, members);
  const said = new Set(members.flatMap(({ name }) => (nullNames.has(name) ? [] : [name])));
  const refused = refusedFields(target, valueOf(source, members, 'reasoning_effort'));
  const dropped = refused.filter((name) => said.has(name));
  const set: Record<string, Uint8Array> = { model: inJson(target.upstreamModel) };
  if (target.stream && !quirks.streamsUsageUnasked) set.stream_options = streamOptions(source, members);
  // Its caller may want none.
  if (target.stream && quirks.mostUnstreamed !== null) set.stream = yes;
  const { messages, warnings } = takenMessages(source, members, target);
  warnings.push(...settingWarnings);
  const countInput = (): number => countInputTokens(parseRequestJson(body));
  for (const { name, most, warning } of loweredLimits(source, members, limitFields, target, countInput)) {
    set[name] = inJson(most);
    warnings.push(warning);
  }
  Object.assign(set, shortNamesIn(source, members, target, warnings));
  const effort = switchedEffort(source, members, target, warnings);
  Object.assign(set, effort.set);
  const asked = Object.fromEntries(settingNames(target).map((name) => [name, valueOf(source, members, name)]));
  const settings = takenSettings(asked, target, warnings);
  for (const [name, value] of Object.entries(settings.set)) set[name] = inJson(value);
  const turns = settings.instruction === null || messages ? messages : valueOf(source, members, 'messages');
  if (turns) set.messages = inJson(withInstruction(turns, settings.instruction));
  const limits = quirks.maxTokensField === null ? [] : limitFields;
  const nulls = [...nullNames].filter((name) => quirks.refusesNull || refused.includes(name) || limits.includes(name));
  const left = nulls.filter((name) => !Object.hasOwn(set, name));
  const drop = [...dropped, ...effort.drop, ...settings.drop, ...left];
  if (quirks.streamsUsageUnasked) drop.push('stream_options');
  const edits: ObjectEdits = { set, single: ownedFields, drop, ...limitEdits(said, quirks.maxTokensField, drop) };
  return {
    path: '/chat/completions',
    headers: {
      'content-type': 'application/json',
      accept: target.stream ? 'text/event-stream' : 'application/json',
      ...conversationHeader(target, promptCacheKeyIn(source, members)),
    },
    body: splicedPieces(source, members, edits),
    warnings: [...dropped.map((name) => `${name} was dropped: ${target.provider.name} does not take it`), ...warnings],
  };
}

/** The caller's stream options with include_usage true. */
function streamOptions(source: Uint8Array, members: readonly MemberRange[]): Uint8Array {
  const member = members.findLast(({ name }) => name === 'stream_options');
  if (!member || source[member.valueStart] !== 0x7b) return usageAsked;
  const options = source.subarray(member.valueStart, member.end);
  return spliceObject(options, membersOf(options), { set: { include_usage: yes } });
}

/**
 * Gives the output limit the name that the provider takes. A caller who sent both names meant the newer one.
 */
function limitEdits(
  names: ReadonlySet<string>,
  wanted: 'max_tokens' | 'max_completion_tokens' | null,
  drop: readonly string[],
): Pick<ObjectEdits, 'drop' | 'rename'> {
  if (wanted === null) return { drop };
  const other = wanted === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  if (!names.has(other)) return { drop };
  if (!names.has(wanted)) return { drop, rename: { [other]: wanted } };
  return wanted === 'max_completion_tokens'
    ? { drop: [...drop, other] }
    : { drop: [...drop, wanted], rename: { [other]: wanted } };
}

/**
 * The effort of a request that passes, for a model that is only told whether to think. Groq's Qwen takes
 * `default` in place of a degree, and refuses degrees; `warnings` hears of it:
 * https://github.com/mnfst/modelparams.dev/pull/114. Others are told by a member of their own not to think;
 * what the caller said there counts. Where that is `reasoning`, as at Together, no words of others for it are
 * refused, and they tell nothing: what wants no thoughts becomes `enabled` of it. Who knows no effort at all
 * is told none: xAI refuses it of such models.
 * https://github.com/NousResearch/hermes-agent/pull/23435
 */
function switchedEffort(
  source: Uint8Array,
  members: readonly MemberRange[],
  target: UpstreamTarget,
  warnings: string[],
): EffortEdits {
  const off = thinkingOff(target);
  if (off && Object.hasOwn(off, 'reasoning') && wantsNoThoughts(source, members)) {
    const set = unsaid(off, source, members);
    if (Object.keys(set).length > 0) return { set, drop: ['reasoning_effort', 'thinking'] };
  }
  if (!members.some(({ name }) => name === 'reasoning_effort')) return asSaid;
  const effort = valueOf(source, members, 'reasoning_effort');
  if (effort === 'none' && off) return { set: unsaid(off, source, members), drop: ['reasoning_effort'] };
  const known = target.model.reasoningEfforts;
  if (known?.length === 0) {
    warnings.push(`reasoning effort '${String(effort)}' was dropped: this model knows none`);
    return { set: {}, drop: ['reasoning_effort'] };
  }
  if (!known?.includes('default') || typeof effort !== 'string' || known.includes(effort)) return asSaid;
  warnings.push(`reasoning effort '${effort}' became 'default': this model knows ${known.join(', ')}`);
  return { set: { reasoning_effort: Buffer.from('"default"') }, drop: [] };
}
