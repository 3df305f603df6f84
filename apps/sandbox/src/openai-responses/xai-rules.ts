import { textIn } from '../request/read-values';
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
  const isForeign = input.some(({ type, namespace }) => foreignItems.includes(textIn(type)) || namespace !== undefined);
  demand(!isForeign, `${begin} data did not match any variant of untagged enum ModelInput`, { status: 422 });
}
