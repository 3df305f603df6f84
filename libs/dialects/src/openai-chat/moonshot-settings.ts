import { rewordedTold, toldBeside } from '../canonical/tool-schema';
import type { UpstreamTarget } from '../provider-dialect';
import { isRecord, recordIn, textIn } from '../wire/json-value';
import { toMoonshotSchema } from './moonshot-schema';

type Json = Record<string, unknown>;

/**
 * The tools and the form of the answer of a chat completion request with schemas as Moonshot takes them; what
 * is taken as it came is not among them. `warnings` hears of what is no longer enforced.
 */
export function moonshotSettings(
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
