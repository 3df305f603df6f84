import { passThrough } from '../canonical/pass-through';
import { shortNamesIn } from '../canonical/short-names';
import { samplingRefused } from '../canonical/takes-sampling';
import { sealerOf } from '../provider-dialect';
import type { Translation } from '../provider-dialect';
import { countInputTokens } from './count-input-tokens';
import { askedAt, ownInput } from './own-reasoning';
import { openaiResponsesProviderCodec } from './provider-codec';
import { repeatedState, withoutState } from './repeated-state';
import { withMarkedSeals } from '../canonical/marked-seals';
import { openaiResponsesSurfaceCodec } from './surface-codec';
import { isRecord } from '../wire/json-value';
import { valueOf } from '../wire/splice-object';
import { ResponsesEnding } from './stream-ending';

/**
 * Responses to responses: bytes pass in both directions, OpenAI's own tools included, but for seals, which
 * tell on their way who made them, and for state, which the gateway keeps.
 */
export const openaiResponsesToOpenaiResponses: Translation = passThrough({
  surface: openaiResponsesSurfaceCodec,
  provider: openaiResponsesProviderCodec,
  address: ({ upstreamModel, stream }) => ({
    path: '/responses',
    headers: { 'content-type': 'application/json', accept: stream ? 'text/event-stream' : 'application/json' },
    members: { model: upstreamModel },
  }),
  ownedFields: [
    ...['model', 'input', 'instructions', 'stream', 'max_output_tokens', 'temperature', 'top_p'],
    ...['user', 'safety_identifier', 'prompt_cache_key'],
  ],
  limitField: 'max_output_tokens',
  refuses: (source, members, target) => {
    const reasoning = valueOf(source, members, 'reasoning');
    return samplingRefused(target, isRecord(reasoning) ? reasoning.effort : null);
  },
  countInputTokens,
  newEnding: () => new ResponsesEnding(),
  // Who compacts conversations itself hands reasoning out sealed, of models that are known to reason; others
  // refuse to be asked for it.
  edits: (source, members, target) => {
    const { provider, model } = target;
    const seals = provider.quirks.compacts && model.capabilities.reasoning && !model.unlisted;
    const { set, drop } = withoutState(source, members, seals);
    const input = ownInput(source, members, askedAt(target));
    const warnings: string[] = [];
    const names = shortNamesIn(source, members, target, warnings);
    return { set: { ...set, ...names, ...(input && { input }) }, drop, warnings };
  },
  rewriter: (body, target) => {
    const repeat = repeatedState(body);
    return (bytes) => withMarkedSeals(repeat ? repeat(bytes) : bytes, 'encrypted_content', sealerOf(target));
  },
});
