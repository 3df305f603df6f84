import { textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';

type Json = Record<string, unknown>;

const toolTypes = [
  ...['function', 'web_search', 'x_search', 'image_generation', 'collections_search', 'file_search'],
  ...['code_execution', 'code_interpreter', 'mcp', 'shell'],
];
/** Items that OpenAI alone has, of tools that it alone has. */
const foreignItems = [
  ...['custom_tool_call', 'custom_tool_call_output', 'tool_search_call', 'tool_search_output'],
  ...['additional_tools', 'apply_patch_call', 'apply_patch_call_output'],
];
const begin = 'Failed to deserialize the JSON body into the target type:';

/**
 * What xAI refuses of OpenAI's responses, which Codex sends. The types of tools, in the words of
 * https://github.com/maximhq/bifrost/issues/5428 https://github.com/james-6-23/codex2api/pull/516
 * The items, in those of https://github.com/lidge-jun/opencodex/issues/1105
 * A search's member: https://github.com/NOirBRight/CodexHub/issues/517
 * https://github.com/lidge-jun/opencodex/issues/2240
 * Labels: https://github.com/router-for-me/CLIProxyAPI/issues/5648
 * https://github.com/rbb-dev/Open-WebUI-OpenRouter-pipe/issues/62
 * @throws Refusal
 */
export function checkXai(body: Json, tools: readonly Json[], input: readonly Json[]): void {
  demand((body.metadata ?? null) === null, 'Argument not supported: metadata', { code: '400' });
  for (const [at, tool] of tools.entries()) {
    const type = textIn(tool.type);
    demand(
      toolTypes.includes(type),
      `${begin} tools[${at}].type: unknown variant \`${type}\`, expected one of ${toolTypes.map((each) => `\`${each}\``).join(', ')}`,
      { status: 422 },
    );
    demand(tool.external_web_access === undefined, 'Argument not supported: external_web_access', { code: '400' });
  }
  checkXaiFunctions(tools.filter(({ type }) => type === 'function'));
  const isForeign = input.some(({ type, namespace }) => foreignItems.includes(textIn(type)) || namespace !== undefined);
  demand(!isForeign, `${begin} data did not match any variant of untagged enum ModelInput`, { status: 422 });
}

const reserved: Readonly<Record<string, string>> = {
  web_search: 'custom function name "web_search" is reserved',
  tool_search: 'The function name tool_search is reserved for the tool_search tool',
};

/**
 * Names that are those of tools of xAI's own: https://github.com/NousResearch/hermes-agent/issues/95003
 * https://github.com/can1357/oh-my-pi/issues/7970 and schemas that are alternatives:
 * https://github.com/lidge-jun/opencodex/pull/1726 https://github.com/tetsuo-ai/agenc-core/pull/1324
 * @throws Refusal
 */
export function checkXaiFunctions(functions: readonly Json[]): void {
  const details = { code: 'invalid-argument' };
  for (const { name, parameters } of functions) {
    const kept = reserved[textIn(name)];
    demand(kept === undefined, kept ?? '', details);
    const isUnion = isRecord(parameters) && ['anyOf', 'oneOf'].some((union) => Array.isArray(parameters[union]));
    demand(
      !isUnion,
      `${textIn(name)}: tool parameter root must be an object type (root schema is an anyOf/oneOf union with a non-object branch)`,
      details,
    );
  }
}
