import { isRedacted, sealOf } from '../answer/seal';
import { demandKnown, textIn } from '../request/read-values';
import { isRecord, lengthOf } from '../request/record';
import { demand } from '../request/refusal';

interface Kind {
  members: readonly string[];
  roles: readonly string[];
}

/**
 * What Anthropic's own tools told.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools
 */
const told: Kind = { members: ['tool_use_id', 'content', 'cache_control', 'caller'], roles: ['assistant'] };

/** The members of each kind of block, and which role may say it. */
const kinds: Readonly<Record<string, Kind>> = {
  text: { members: ['text', 'cache_control', 'citations'], roles: ['user', 'assistant', 'system'] },
  image: { members: ['source', 'cache_control'], roles: ['user'] },
  // Of the assistant until the version 2026-10-21.
  // https://platform.claude.com/docs/en/api/migration-2026-10-21
  document: { members: ['source', 'title', 'context', 'citations', 'cache_control'], roles: ['user', 'assistant'] },
  search_result: { members: ['source', 'title', 'content', 'citations', 'cache_control'], roles: ['user'] },
  tool_result: { members: ['tool_use_id', 'content', 'is_error', 'cache_control'], roles: ['user'] },
  container_upload: { members: ['file_id', 'cache_control'], roles: ['user'] },
  // https://github.com/anthropics/anthropic-sdk-python/blob/main/src/anthropic/types/tool_use_block_param.py
  tool_use: { members: ['id', 'name', 'input', 'cache_control', 'caller', 'toolset_name'], roles: ['assistant'] },
  thinking: { members: ['thinking', 'signature'], roles: ['assistant'] },
  redacted_thinking: { members: ['data'], roles: ['assistant'] },
  server_tool_use: { members: ['id', 'name', 'input', 'cache_control', 'caller'], roles: ['assistant'] },
  web_search_tool_result: told,
  web_fetch_tool_result: told,
  code_execution_tool_result: told,
  bash_code_execution_tool_result: told,
  text_editor_code_execution_tool_result: told,
  tool_search_tool_result: told,
  advisor_tool_result: told,
  // https://platform.claude.com/docs/en/build-with-claude/compaction
  compaction: {
    members: ['content', 'encrypted_content', 'signature', 'tool_changes', 'cache_control'],
    roles: ['assistant'],
  },
  // https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback
  fallback: { members: ['from', 'to', 'trigger'], roles: ['assistant'] },
};

const longestName = 200;
/** Bytes, in base64: https://github.com/anthropics/claude-code/issues/1897 */
const largestImage = 5_242_880;
const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
/** How images of these types begin, and WebP from its eighth byte on: what stands before is its length. */
const signatures = ['ffd8ff', '89504e470d0a1a0a', '474946', '57454250'];

/**
 * https://platform.claude.com/docs/en/api/messages/create `takesUnsigned`: a model of another maker, which
 * takes thoughts that nobody signed.
 * @throws Refusal for a block that this role may not say, or that came back changed.
 */
export function checkBlock(block: Record<string, unknown>, role: string, where: string, takesUnsigned: boolean): void {
  const type = textIn(block.type);
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  demand(
    kind?.roles.includes(role) === true,
    `${where}: Input tag '${type}' found using 'type' does not match any of the expected tags`,
  );
  demandKnown(block, ['type', ...kind.members], (name) => `${where}.${type}.${name}: Extra inputs are not permitted`);
  switch (type) {
    case 'text':
      return demand(textIn(block.text) !== '', 'messages: text content blocks must be non-empty');
    case 'thinking':
      return demand(
        (takesUnsigned && textIn(block.signature) === '') ||
          textIn(block.signature).split('.')[0] === sealOf(textIn(block.thinking)),
        `${where}: Invalid \`signature\` in \`thinking\` block`,
      );
    case 'redacted_thinking':
      return demand(isRedacted(block.data), `${where}: Invalid \`data\` in \`redacted_thinking\` block`);
    case 'tool_use':
      return checkToolUse(block, where);
    case 'image':
    case 'document':
      return checkSource(block.source, type, `${where}.${type}.source`);
  }
}

function checkToolUse({ id, name, input }: Record<string, unknown>, where: string): void {
  const { length } = textIn(name);
  demand(length > 0, `${where}.tool_use.name: String should have at least 1 character`);
  demand(length <= longestName, `${where}.tool_use.name: String should have at most ${longestName} characters`);
  const pattern = '^[a-zA-Z0-9_-]+$';
  demand(new RegExp(pattern).test(textIn(id)), `${where}.tool_use.id: String should match pattern '${pattern}'`);
  demand(isRecord(input), `${where}.tool_use.input: Input should be a valid dictionary`);
}

function checkSource(source: unknown, type: string, where: string): void {
  demand(isRecord(source), `${where}: Field required`);
  const types = type === 'image' ? ['base64', 'url', 'file'] : ['base64', 'url', 'file', 'text', 'content'];
  demand(types.includes(textIn(source.type)), `${where}: Input tag '${textIn(source.type)}' does not match`);
  if (source.type === 'url')
    demand(/^https?:\/\//.test(textIn(source.url)), `${where}.url: Only HTTPS URLs are supported.`);
  if (source.type !== 'base64') return;
  const allowed = type === 'image' ? imageTypes : ['application/pdf'];
  demand(
    allowed.includes(textIn(source.media_type)),
    `${where}.base64.media_type: Input should be ${allowed.map((name) => `'${name}'`).join(' or ')}`,
  );
  const data = textIn(source.data);
  const length = lengthOf(source, 'data');
  demand(/^[A-Za-z0-9+/]+={0,2}$/.test(data), `${where}.base64: invalid base64 data`);
  const seen = type === 'image' ? imageTypeOf(data) : undefined;
  demand(
    seen === undefined || seen === source.media_type,
    `${where}.base64.data: The image was specified using the ${textIn(source.media_type)} media type, but the image appears to be a ${seen} image`,
  );
  demand(
    type !== 'image' || length <= largestImage,
    `${where}.base64: image exceeds 5 MB maximum: ${length} bytes > ${largestImage} bytes`,
  );
}

/** In the words of https://github.com/home-assistant/core/issues/167208 Undefined: its data does not tell. */
function imageTypeOf(data: string): string | undefined {
  const bytes = Buffer.from(data.slice(0, 16), 'base64').toString('hex');
  return imageTypes.find((_, at) => bytes.startsWith(signatures[at] ?? '-', bytes.startsWith('52494646') ? 16 : 0));
}
