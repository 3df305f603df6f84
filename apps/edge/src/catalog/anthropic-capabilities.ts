import type { CatalogModel, ProviderDefinition } from '@tollgate/contracts/catalog';
import { isClaude, takenThinking } from '@tollgate/dialects/surface';
import { z } from 'zod';

const support = z.object({ supported: z.boolean() });

/** Whether it may be had, of each thing that Anthropic's clients know. */
export const anthropicCapabilities = z
  .object({
    batch: support.describe('Batches of messages, which the gateway does not have'),
    citations: support.describe('Citations of documents'),
    code_execution: support.describe('Tools that are called by code which runs at the provider; false: not known'),
    context_management: support.extend({
      clear_thinking_20251015: support.nullable(),
      clear_tool_uses_20250919: support.nullable(),
      compact_20260112: support.nullable(),
    }),
    effort: support.extend({
      low: support,
      medium: support,
      high: support,
      xhigh: support.nullable(),
      max: support,
    }),
    image_input: support,
    pdf_input: support,
    server_tools: support.extend({ web_search: support, code_execution: support }),
    structured_outputs: support,
    thinking: support.extend({
      types: z.object({ adaptive: support, between_tools: support, disabled: support, enabled: support }),
    }),
  })
  .describe('What requests for it may have; false also where it is not known');
type Capabilities = z.infer<typeof anthropicCapabilities>;

/**
 * What a model can do, for callers of messages: what this gateway can have of it, at the first of its places.
 * Null: it does not generate, or nothing is known of its provider.
 * https://platform.claude.com/docs/en/api/models/retrieve
 */
export function toAnthropicCapabilities(
  model: CatalogModel,
  providers: readonly ProviderDefinition[],
): Capabilities | null {
  const [place] = model.deployments;
  const provider = providers.find(({ id }) => id === place?.provider);
  if (model.kind !== 'generation' || !place || !provider) return null;
  const { upstreamModel } = place;
  const isOwn = speaksMessages(provider) && isClaude(upstreamModel);
  const isOf = (pattern: string | null): boolean => pattern !== null && new RegExp(pattern).test(upstreamModel);
  return {
    batch: yes(false),
    // What is asked of documents, and what a conversation is relieved of, is said in no other dialect.
    citations: yes(isOwn),
    code_execution: yes(false),
    context_management: {
      ...{ supported: isOwn, clear_thinking_20251015: null, clear_tool_uses_20250919: null, compact_20260112: null },
    },
    effort: effortsOf(model),
    image_input: yes(model.inputModalities.includes('image')),
    pdf_input: yes(model.inputModalities.includes('pdf')),
    server_tools: serverTools(isOf(provider.quirks.webSearch), isOf(provider.quirks.codeExecution)),
    structured_outputs: yes(model.capabilities.structuredOutput),
    thinking: { supported: model.capabilities.reasoning, types: thinkingOf(model, provider, upstreamModel) },
  };
}

function speaksMessages({ dialect, alsoSpeaks, alsoAt }: ProviderDefinition): boolean {
  const spoken = [dialect, ...alsoSpeaks, ...alsoAt.map((address) => address.dialect)];
  return spoken.includes('anthropic-messages');
}

function yes(supported: boolean): { supported: boolean } {
  return { supported };
}

/** Without levels that are known a wish for effort is passed over. */
function effortsOf({ reasoningEfforts: known = [] }: CatalogModel): Capabilities['effort'] {
  const level = (name: string) => yes(known.includes(name));
  return {
    supported: known.length > 0,
    ...{ low: level('low'), medium: level('medium'), high: level('high'), max: level('max') },
    xhigh: known.length === 0 ? null : level('xhigh'),
  };
}

function serverTools(webSearch: boolean, codeExecution: boolean): Capabilities['server_tools'] {
  return { supported: webSearch || codeExecution, web_search: yes(webSearch), code_execution: yes(codeExecution) };
}

/** Where messages are told in another dialect, any word for thinking is taken; its own model knows some. */
function thinkingOf(model: CatalogModel, provider: ProviderDefinition, upstreamModel: string) {
  const thinks = model.capabilities.reasoning;
  const any = { adaptive: thinks, between_tools: thinks, disabled: true, enabled: thinks };
  const taken = speaksMessages(provider) ? takenThinking({ model, upstreamModel }) : any;
  return {
    adaptive: yes(taken.adaptive),
    between_tools: yes(taken.between_tools),
    disabled: yes(taken.disabled),
    enabled: yes(taken.enabled),
  };
}
