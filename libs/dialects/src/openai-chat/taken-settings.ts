import { describedSchema } from '../canonical/described-schema';
import { samplingRefused } from '../canonical/takes-sampling';
import { holdsFor, type UpstreamTarget } from '../provider-dialect';
import { isRecord, recordIn, textIn } from '../wire/json-value';
import { rewordedTold, toldBeside } from '../canonical/tool-schema';
import { toMoonshotSchema } from './moonshot-schema';

type Json = Record<string, unknown>;

/**
 * What becomes of a request's settings: members that are set and members that go. `instruction`: what must be
 * told to the model in words, before all messages; null: nothing.
 */
export interface TakenSettings {
  set: Json;
  drop: string[];
  instruction: string | null;
}

/** The members that decide it here. */
export function settingNames(target: UpstreamTarget): string[] {
  const { highestTemperature, noJsonSchema, noForceWhileThinking, moonshotSchemas } = target.provider.quirks;
  return [
    ...(highestTemperature === null ? [] : ['temperature']),
    ...(holdsFor(noJsonSchema, target) ? ['response_format'] : []),
    ...(holdsFor(noForceWhileThinking, target)
      ? ['tool_choice', 'reasoning_effort', 'thinking', 'enable_thinking', 'reasoning']
      : []),
    ...(holdsFor(moonshotSchemas, target) ? ['tools', 'response_format'] : []),
  ];
}

/**
 * The settings of a chat completion request as this provider and model take them. `said` holds the members in
 * `settingNames`; `warnings` hears of every change.
 */
export function takenSettings(said: Json, target: UpstreamTarget, warnings: string[]): TakenSettings {
  const force = forceFor(said, target, warnings);
  const format = formatFor(said, target, warnings);
  const flavoured = holdsFor(target.provider.quirks.moonshotSchemas, target)
    ? moonshotSettings(said, target, warnings)
    : {};
  return {
    set: { ...temperatureFor(said, target, warnings), ...flavoured, ...format?.set, ...force.set },
    drop: force.drop,
    instruction: format?.instruction ?? null,
  };
}

function temperatureFor({ temperature }: Json, { provider }: UpstreamTarget, warnings: string[]): Json {
  const most = provider.quirks.highestTemperature;
  if (most === null || typeof temperature !== 'number' || temperature <= most) return {};
  warnings.push(`temperature ${temperature} was clamped to ${most}: ${provider.name} takes 0 to ${most}`);
  return { temperature: most };
}

/** A schema in words, where answers are bound to JSON objects only. */
function formatFor(
  { response_format: asked }: Json,
  target: UpstreamTarget,
  warnings: string[],
): { set: Json; instruction: string } | null {
  if (!isRecord(asked) || asked.type !== 'json_schema' || !holdsFor(target.provider.quirks.noJsonSchema, target))
    return null;
  const { schema, description } = recordIn(asked, 'json_schema');
  const told = describedSchema({
    type: 'json-schema',
    name: '',
    schema: isRecord(schema) ? schema : {},
    ...(typeof description === 'string' && { description }),
  });
  warnings.push(
    `the JSON schema was told in words and is not enforced: ${target.provider.name} takes JSON objects only`,
  );
  return {
    set: { response_format: { type: 'json_object' } },
    instruction: `Answer with one JSON object and nothing else, no code fence. It must fit this JSON schema: ${JSON.stringify(told)}`,
  };
}

/** A model that cannot think where it must call a tool does not think then, or is not forced. */
function forceFor(said: Json, target: UpstreamTarget, warnings: string[]): Pick<TakenSettings, 'set' | 'drop'> {
  const { tool_choice: choice, reasoning_effort: effort, enable_thinking: enabled } = said;
  const isForced = choice === 'required' || choice === 'any' || isRecord(choice);
  if (!isForced || !holdsFor(target.provider.quirks.noForceWhileThinking, target)) return { set: {}, drop: [] };
  const off = thinkingOff(target) ?? effortOff(target);
  // What others call so is nothing to a provider that has another switch.
  const reasoning = off && Object.hasOwn(off, 'reasoning') ? recordIn(said, 'reasoning') : {};
  const { type } = recordIn(said, 'thinking');
  const isOff = [effort, reasoning.effort].includes('none') || type === 'disabled' || enabled === false;
  if (typeof reasoning.enabled === 'boolean' ? !reasoning.enabled : isOff) return { set: {}, drop: [] };
  if (off === null) {
    warnings.push("tool_choice became 'auto': this model always reasons, and cannot be made to call a tool then");
    return { set: { tool_choice: 'auto' }, drop: [] };
  }
  const isOn = [type === 'enabled', enabled, reasoning.enabled].includes(true);
  if (isOn || [effort, reasoning.effort].some((degree) => typeof degree === 'string'))
    warnings.push('reasoning was turned off: this model cannot reason where it must call a tool');
  return {
    set: Object.hasOwn(off, 'reasoning') ? { reasoning: { ...reasoning, ...recordIn(off, 'reasoning') } } : off,
    drop: Object.hasOwn(off, 'reasoning_effort') ? [] : ['reasoning_effort'],
  };
}

function effortOff({ model: { reasoningEfforts } }: UpstreamTarget): Json | null {
  return reasoningEfforts?.includes('none') === true ? { reasoning_effort: 'none' } : null;
}

/** The messages with what must be told in words before them. */
export function withInstruction(messages: unknown, instruction: string | null): unknown {
  if (instruction === null || !Array.isArray(messages)) return messages;
  return [{ role: 'system', content: instruction }, ...(messages as unknown[])];
}

/** The fields of chat completions that a provider refuses of this model, asked with this effort. */
export function refusedFields(
  target: Pick<UpstreamTarget, 'provider' | 'model' | 'upstreamModel'>,
  effort?: unknown,
): string[] {
  const { quirks } = target.provider;
  return [
    ...quirks.dropFields,
    ...quirks.chatDropFields,
    ...(target.model.capabilities.reasoning ? quirks.reasonersRefuse : []),
    ...(holdsFor(quirks.refusesStop, target) ? ['stop'] : []),
    ...(holdsFor(quirks.refusesMetadata, target) ? ['metadata'] : []),
    ...samplingRefused(target, effort),
  ];
}

/**
 * The member that tells a model not to think. Null: the effort `none` tells it.
 * https://api-docs.deepseek.com/guides/thinking_mode
 */
export function thinkingOff(target: UpstreamTarget): Record<string, unknown> | null {
  return thinkingSwitched(false, target);
}

/** The member that tells a model to think, however much. Null: none does. */
export function thinkingOn(target: UpstreamTarget): Record<string, unknown> | null {
  return thinkingSwitched(true, target);
}

function thinkingSwitched(on: boolean, target: UpstreamTarget): Record<string, unknown> | null {
  const rule = target.provider.quirks.thinkingSwitch;
  if (rule === null || !holdsFor(rule.models, target)) return null;
  switch (rule.member) {
    case 'thinking':
      return { thinking: { type: on ? 'enabled' : 'disabled' } };
    case 'enable_thinking':
      return { enable_thinking: on };
    case 'reasoning':
      return { reasoning: { enabled: on } };
  }
}

/**
 * The tools and the form of the answer of a chat completion request with schemas as Moonshot takes them; what
 * is taken as it came is not among them. `warnings` hears of what is no longer enforced.
 */
function moonshotSettings(
  { tools, response_format: format }: Json,
  { provider }: Pick<UpstreamTarget, 'provider'>,
  warnings: string[],
): Json {
  const set: Json = {};
  if (Array.isArray(tools)) {
    const asked: unknown[] = tools;
    const written = asked.map((tool) => withTakenSchema(tool, warnings));
    if (written.some((tool, index) => tool !== asked[index])) set.tools = written;
  }
  const { schema } = recordIn(format, 'json_schema');
  if (!isRecord(format) || !isRecord(schema)) return set;
  const taken = toMoonshotSchema(schema, false);
  const told = taken.reworded.map(
    (what) => `${what} of the JSON schema became words: ${provider.name} takes none there`,
  );
  warnings.push(...told);
  if (taken.schema === schema) return set;
  return {
    ...set,
    response_format: { ...format, json_schema: { ...recordIn(format, 'json_schema'), schema: taken.schema } },
  };
}

function withTakenSchema(tool: unknown, warnings: string[]): unknown {
  const called = recordIn(tool, 'function');
  if (!isRecord(tool) || !isRecord(called.parameters)) return tool;
  const { schema, told, reworded } = toMoonshotSchema(called.parameters, true);
  warnings.push(...rewordedTold(textIn(called, 'name') ?? '', reworded));
  if (schema === called.parameters) return tool;
  const description = toldBeside(textIn(called, 'description') ?? undefined, told);
  return { ...tool, function: { ...called, ...(description !== undefined && { description }), parameters: schema } };
}
