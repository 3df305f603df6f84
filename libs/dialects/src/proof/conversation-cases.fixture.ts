import { chat, content, messages, pdf, pixel, responses, user } from './case.fixture';
import type { Case } from './case.fixture';

const noName = 'has no names of messages';
const noPart = 'has no such part';

export const conversationCases: readonly Case[] = [
  {
    name: 'one question',
    bodies: {
      'openai-chat': chat([user('Hi')]),
      'anthropic-messages': messages([user('Hi')]),
      'openai-responses': responses('Hi'),
    },
  },
  {
    name: 'streaming',
    bodies: {
      'openai-chat': chat([user('Hi')], { stream: true, stream_options: { include_usage: true } }),
      'anthropic-messages': messages([user('Hi')], { stream: true }),
      'openai-responses': responses('Hi', { stream: true }),
    },
  },
  {
    name: 'system prompt',
    bodies: {
      'openai-chat': chat([{ role: 'system', content: 'Be brief.' }, user('Hi')]),
      'anthropic-messages': messages([user('Hi')], { system: 'Be brief.' }),
      'openai-responses': responses('Hi', { instructions: 'Be brief.' }),
    },
  },
  {
    name: 'several system and developer messages',
    bodies: {
      'openai-chat': chat([
        { role: 'system', content: 'Be brief.' },
        { role: 'developer', content: 'Be kind.' },
        user('Hi'),
        { role: 'assistant', content: 'Hello.' },
        { role: 'system', content: 'Now be long.' },
        user('Go on.'),
      ]),
      'anthropic-messages': messages([user('Hi')], {
        system: [
          { type: 'text', text: 'Be brief.' },
          { type: 'text', text: 'Be kind.' },
        ],
      }),
      'openai-responses': responses(
        [
          { role: 'developer', content: 'Be kind.' },
          user('Hi'),
          { role: 'system', content: 'Now be long.' },
          user('Go on.'),
        ],
        { instructions: 'Be brief.' },
      ),
    },
  },
  {
    name: 'several turns',
    bodies: {
      'openai-chat': chat([user('One?'), { role: 'assistant', content: 'One.' }, user('Two?')]),
      'anthropic-messages': messages([user('One?'), { role: 'assistant', content: 'One.' }, user('Two?')]),
      'openai-responses': responses([
        user('One?'),
        { role: 'assistant', content: [{ type: 'output_text', text: 'One.' }] },
        user('Two?'),
      ]),
    },
  },
  {
    name: 'two turns of one role',
    bodies: {
      'openai-chat': chat([user('One'), user('Two')]),
      'anthropic-messages': messages([user('One'), user('Two')]),
      'openai-responses': responses([user('One'), user('Two')]),
    },
  },
  {
    name: 'message name',
    bodies: {
      'openai-chat': chat([{ role: 'user', name: 'ann', content: 'Hi' }]),
      'anthropic-messages': noName,
      'openai-responses': noName,
    },
  },
  content(
    'several text parts',
    [
      { type: 'text', text: 'A' },
      { type: 'text', text: 'B' },
    ],
    [
      { type: 'text', text: 'A' },
      { type: 'text', text: 'B' },
    ],
    [
      { type: 'input_text', text: 'A' },
      { type: 'input_text', text: 'B' },
    ],
  ),
  content(
    'image by URL',
    [
      { type: 'text', text: 'What?' },
      { type: 'image_url', image_url: { url: 'https://files.example/a.png', detail: 'low' } },
    ],
    [
      { type: 'text', text: 'What?' },
      { type: 'image', source: { type: 'url', url: 'https://files.example/a.png' } },
    ],
    [
      { type: 'input_text', text: 'What?' },
      { type: 'input_image', image_url: 'https://files.example/a.png', detail: 'low' },
    ],
  ),
  content(
    'image by data',
    [{ type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } }],
    [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }],
    [{ type: 'input_image', image_url: `data:image/png;base64,${pixel}` }],
  ),
  content(
    'image by file id',
    noPart,
    [{ type: 'image', source: { type: 'file', file_id: 'file_1' } }],
    [{ type: 'input_image', file_id: 'file_1' }],
  ),
  content(
    'PDF by data',
    [{ type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` } }],
    [{ type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: pdf } }],
    [{ type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` }],
  ),
  content(
    'PDF by URL',
    noPart,
    [{ type: 'document', source: { type: 'url', url: 'https://files.example/a.pdf' } }],
    [{ type: 'input_file', file_url: 'https://files.example/a.pdf' }],
  ),
  content(
    'file by file id',
    [{ type: 'file', file: { file_id: 'file_1' } }],
    [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }],
    [{ type: 'input_file', file_id: 'file_1' }],
  ),
  content('audio', [{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }], noPart, [
    { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
  ]),
  content(
    'cache control',
    [
      { type: 'text', text: 'Long.', cache_control: { type: 'ephemeral', ttl: '1h' } },
      { type: 'text', text: 'Q?' },
    ],
    [
      { type: 'text', text: 'Long.', cache_control: { type: 'ephemeral', ttl: '1h' } },
      { type: 'text', text: 'Q?' },
    ],
    noPart,
  ),
  {
    name: 'refusal of an earlier turn',
    bodies: {
      'openai-chat': chat([user('Bad?'), { role: 'assistant', content: null, refusal: 'No.' }, user('Why?')]),
      'anthropic-messages': 'has no refusals in its turns',
      'openai-responses': responses([
        user('Bad?'),
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
        user('Why?'),
      ]),
    },
  },
];
