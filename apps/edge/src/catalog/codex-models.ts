import type { CatalogModel } from '@tollgate/contracts/catalog';
import { z } from 'zod';

/**
 * A model as Codex reads it, with every field that it demands.
 * https://github.com/openai/codex/blob/main/codex-rs/protocol/src/openai_models.rs (ModelInfo)
 */
const codexModel = z
  .object({
    slug: z.string().describe('Model id, provider/model'),
    display_name: z.string(),
    description: z.string().nullable(),
    default_reasoning_level: z.string().optional(),
    supported_reasoning_levels: z.array(z.object({ effort: z.string(), description: z.string() })),
    shell_type: z.literal('unified_exec'),
    visibility: z.literal('list'),
    supported_in_api: z.literal(true),
    priority: z.number().int().describe('Place in its picker; its own models come first'),
    upgrade: z.null(),
    base_instructions: z.string().describe('What the model is told of its work'),
    supports_reasoning_summaries: z.boolean(),
    support_verbosity: z.literal(false),
    default_verbosity: z.null(),
    apply_patch_tool_type: z.literal('freeform'),
    truncation_policy: z.object({ mode: z.literal('tokens'), limit: z.number().int() }),
    supports_parallel_tool_calls: z.boolean(),
    context_window: z.number().int().optional(),
    max_context_window: z.number().int().optional(),
    experimental_supported_tools: z.array(z.string()),
    input_modalities: z.array(z.enum(['text', 'image'])),
  })
  .describe('A model for Codex, for callers that send client_version');

export const codexModelList = z.object({ models: z.array(codexModel) });

/** What asks for this form. */
export const codexListQuery = z.object({
  client_version: z.string().optional().describe("Version of Codex: the answer is in the form of Codex's catalog"),
});

/** Codex puts its own models first; they have smaller numbers. */
const firstPriority = 1_000;

const effortWords: Readonly<Record<string, string>> = {
  none: 'No reasoning',
  minimal: 'The least reasoning',
  low: 'Fast answers with lighter reasoning',
  medium: 'Speed and depth of reasoning for everyday tasks',
  high: 'Deeper reasoning for hard problems',
  xhigh: 'Very deep reasoning for hard problems',
  max: 'The deepest reasoning for the hardest problems',
};

const instructions = `You are a coding agent in the Codex CLI, working in the user's workspace on their machine.

- Work until the task is really done: read the code, change it, and check the change by running it or its tests. Do not guess what a file holds or what a command prints.
- Files named AGENTS.md hold instructions for the folder they stand in and all below it; a deeper one wins, and what the user says wins over all of them.
- Search with rg where it is there. Change files with apply_patch, and run everything else with the shell tool. Ask for approval only where a command needs it.
- Keep changes small, in the style of the code around them, and mend causes rather than symptoms. Leave alone what the task does not ask for; never revert changes that you did not make, and do not commit unless asked.
- Before a longer run of tool calls say in one sentence what you are about to do. For work of several steps keep a plan where there is a tool for it.
- End with a short answer: what changed, where, how it was checked, and what is left. Name files as path:line, and do not repeat their contents.
- If something stands in the way, say so plainly instead of pretending that it worked.`;

/**
 * The models that an agent can work with, in the order of the list. OpenAI's own are left out: Codex has them
 * in its own catalog with instructions made for them, finds them also by `openai/…`, and what stands here
 * would take their place (codex-rs/models-manager/src/manager.rs).
 */
export function toCodexList(models: readonly CatalogModel[]): z.infer<typeof codexModelList> {
  const usable = models.filter(
    ({ provider, kind, capabilities }) => kind === 'generation' && provider !== 'openai' && capabilities.tools,
  );
  return { models: usable.map((model, index) => toCodexModel(model, firstPriority + index)) };
}

function toCodexModel(model: CatalogModel, priority: number): z.infer<typeof codexModel> {
  const efforts = (model.reasoningEfforts ?? []).filter((effort) => effort in effortWords);
  const usual = efforts.includes('medium') ? 'medium' : efforts[0];
  const window = model.contextWindow;
  return {
    slug: model.id,
    display_name: model.name,
    description: null,
    ...(usual !== undefined && { default_reasoning_level: usual }),
    supported_reasoning_levels: efforts.map((effort) => ({ effort, description: effortWords[effort] ?? effort })),
    shell_type: 'unified_exec',
    visibility: 'list',
    supported_in_api: true,
    priority,
    upgrade: null,
    base_instructions: instructions,
    supports_reasoning_summaries: model.capabilities.reasoning,
    support_verbosity: false,
    default_verbosity: null,
    apply_patch_tool_type: 'freeform',
    truncation_policy: { mode: 'tokens', limit: 10_000 },
    supports_parallel_tool_calls: true,
    ...(window !== null && { context_window: window, max_context_window: window }),
    experimental_supported_tools: [],
    input_modalities: model.capabilities.vision ? ['text', 'image'] : ['text'],
  };
}
