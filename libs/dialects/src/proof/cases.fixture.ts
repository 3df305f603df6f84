import { setting, weather } from './case.fixture';
import type { Case } from './case.fixture';
import { conversationCases } from './conversation-cases.fixture';
import { reasoningCases } from './reasoning-cases.fixture';
import { toolCases } from './tool-cases.fixture';

const noField = 'has no such field';

const settingCases: readonly Case[] = [
  setting('maximum of output tokens', { max_completion_tokens: 500 }, { max_tokens: 500 }, { max_output_tokens: 500 }),
  setting('older maximum of output tokens', { max_tokens: 500 }, noField, noField),
  setting(
    'sampling',
    { temperature: 0.7, top_p: 0.9 },
    { temperature: 0.7, top_p: 0.9, top_k: 40 },
    { temperature: 0.7, top_p: 0.9 },
  ),
  setting('temperature above 1', { temperature: 1.5 }, 'takes at most 1', { temperature: 1.5 }),
  setting('one stop sequence', { stop: 'END' }, { stop_sequences: ['END'] }, noField),
  setting(
    'several stop sequences',
    { stop: ['END', 'STOP', 'FIN', 'X'] },
    { stop_sequences: ['END', 'STOP', 'FIN', 'X', 'Y'] },
    noField,
  ),
  setting('seed', { seed: 42 }, noField, noField),
  setting('penalties', { presence_penalty: 0.5, frequency_penalty: 0.25 }, noField, noField),
  setting('several choices', { n: 2 }, noField, noField),
  setting('log probabilities', { logprobs: true, top_logprobs: 2 }, noField, {
    include: ['message.output_text.logprobs'],
    top_logprobs: 2,
  }),
  setting('JSON object', { response_format: { type: 'json_object' } }, noField, {
    text: { format: { type: 'json_object' } },
  }),
  setting(
    'JSON schema',
    { response_format: { type: 'json_schema', json_schema: { name: 'weather', schema: weather, strict: true } } },
    { output_config: { format: { type: 'json_schema', schema: weather } } },
    { text: { format: { type: 'json_schema', name: 'weather', schema: weather, strict: true } } },
  ),
  setting(
    'reasoning effort',
    { reasoning_effort: 'high' },
    { output_config: { effort: 'high' } },
    { reasoning: { effort: 'high' } },
  ),
  setting(
    'reasoning budget',
    { thinking: { type: 'enabled', budget_tokens: 4_096 } },
    { thinking: { type: 'enabled', budget_tokens: 4_096 } },
    noField,
  ),
  setting(
    'reasoning off',
    { reasoning_effort: 'none' },
    { thinking: { type: 'disabled' } },
    { reasoning: { effort: 'none' } },
  ),
  setting('adaptive reasoning', { thinking: { type: 'adaptive' } }, { thinking: { type: 'adaptive' } }, noField),
  setting(
    'reasoning summary',
    { reasoning: { effort: 'low', summary: 'auto' } },
    { thinking: { type: 'adaptive', display: 'summarized' } },
    { reasoning: { effort: 'low', summary: 'auto' } },
  ),
  setting('end user', { user: 'ann' }, { metadata: { user_id: 'ann' } }, { user: 'ann' }),
  setting(
    'end user of 150 characters',
    { user: 'u'.repeat(150) },
    { metadata: { user_id: 'u'.repeat(150) } },
    { user: 'u'.repeat(150) },
  ),
  setting('metadata', { metadata: { team: 'blue' } }, noField, { metadata: { team: 'blue' } }),
  setting('service tier', { service_tier: 'flex' }, { service_tier: 'auto' }, { service_tier: 'flex' }),
  setting('unknown field', { zz_new: { a: 1 } }, { zz_new: { a: 1 } }, { zz_new: { a: 1 } }),
];

/**
 * The canonical case list: every surface says it or why it cannot, every provider dialect takes it or why it
 * does not.
 */
export const cases: readonly Case[] = [...conversationCases, ...toolCases, ...settingCases, ...reasoningCases];
