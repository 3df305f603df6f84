import type { CatalogModel, CatalogSnapshot } from '@tollgate/contracts/catalog';
import type { SurfaceCaller } from '@tollgate/testing';

type Body = Record<string, unknown>;
type Surface = SurfaceCaller['surface'];

/** More than any model writes, and longer than any provider's name of an end user. */
const tooMuch = 3_000_000;
const longName = 'u'.repeat(300);

/**
 * What a client asks for that knows no model's limits: more output than there is, a user of a long name and,
 * where the model is asked in another format or by another maker's rules, hot sampling and a tool that must
 * be called.
 * A caller of the provider's own format is held to say what that model takes: its own refusal is an answer.
 */
export function beyond(surface: Surface, model: CatalogModel, { providers }: CatalogSnapshot): Body {
  const provider = providers.find(({ id }) => id === model.provider);
  const isOwn = provider?.dialect === surface || provider?.alsoSpeaks.includes(surface) === true;
  const knowsRules = isOwn && (surface !== 'openai-chat' || !model.capabilities.temperature);
  return { ...limits[surface], ...(knowsRules ? {} : wishes[surface]) };
}

const limits: Record<Surface, Body> = {
  'openai-chat': { max_tokens: tooMuch },
  'anthropic-messages': { max_tokens: tooMuch, metadata: { user_id: longName } },
  'openai-responses': { max_output_tokens: tooMuch },
};

const wishes: Record<Surface, Body> = {
  'openai-chat': { temperature: 1.9, top_p: 0.9, tool_choice: 'required' },
  'anthropic-messages': { temperature: 0.9, top_p: 0.9, top_k: 40, tool_choice: { type: 'any' } },
  'openai-responses': { temperature: 1.9, top_p: 0.9, tool_choice: 'required', user: longName },
};
