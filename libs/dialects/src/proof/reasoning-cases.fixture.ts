import { carriedText } from '../canonical/carried-seal';
import { chat, messages, responses, user } from './case.fixture';
import type { Case } from './case.fixture';

const args = '{"city":"Rome"}';
const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: args } };
const result = { role: 'tool', tool_call_id: 'call_1', content: 'Sun.' };

/**
 * A tool loop in which the model thought before it called, each surface with the seal of its own dialect
 * where it has one.
 */
const ownSeal: Case = {
  name: 'sealed reasoning of its own dialect',
  bodies: {
    'openai-chat': chat([
      user('Weather?'),
      {
        role: 'assistant',
        content: null,
        reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: 'c2VhbA==' }],
        tool_calls: [call],
      },
      result,
    ]),
    'anthropic-messages': messages([
      user('Weather?'),
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'c2VhbA==' },
          { type: 'redacted_thinking', data: 'aGlkZGVu' },
          { type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Rome' } },
        ],
      },
      user([{ type: 'tool_result', tool_use_id: 'call_1', content: 'Sun.' }]),
    ]),
    'openai-responses': responses([
      user('Weather?'),
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Hm.' }],
        encrypted_content: 'c2VhbA==',
      },
      { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: args },
      { type: 'function_call_output', call_id: 'call_1', output: 'Sun.' },
    ]),
  },
};

/** The same loop with the seal of another dialect, as the gateway gave it to the caller. */
function foreignSeal(dialect: 'anthropic-messages' | 'gemini' | 'bedrock-converse', kind: 'signature'): Case {
  const seal = { dialect, kind, value: 'c2VhbA==' } as const;
  return {
    name: `sealed reasoning of ${dialect}`,
    bodies: {
      'openai-chat': chat([
        user('Weather?'),
        {
          role: 'assistant',
          content: null,
          reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: carriedText(seal, 'openai-chat') }],
          tool_calls: [call],
        },
        result,
      ]),
      'anthropic-messages': messages([
        user('Weather?'),
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: carriedText(seal, 'anthropic-messages') },
            { type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Rome' } },
          ],
        },
        user([{ type: 'tool_result', tool_use_id: 'call_1', content: 'Sun.' }]),
      ]),
      'openai-responses': responses([
        user('Weather?'),
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 'Hm.' }],
          encrypted_content: carriedText(seal, 'openai-responses'),
        },
        { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: args },
        { type: 'function_call_output', call_id: 'call_1', output: 'Sun.' },
      ]),
    },
  };
}

export const reasoningCases: readonly Case[] = [
  ownSeal,
  foreignSeal('anthropic-messages', 'signature'),
  foreignSeal('gemini', 'signature'),
  foreignSeal('bedrock-converse', 'signature'),
  {
    name: 'unsealed reasoning of an earlier turn',
    bodies: {
      'openai-chat': chat([
        user('Hi'),
        { role: 'assistant', reasoning_content: 'Hm.', content: 'Hello.' },
        user('And?'),
      ]),
      'anthropic-messages': 'has no reasoning without a signature',
      'openai-responses': responses([
        user('Hi'),
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] },
        user('And?'),
      ]),
    },
  },
];
