import { bringsText } from './door';

it.each([
  'data: {"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":"Once"}}]}',
  'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Once"}}',
  'data: {"type":"response.output_text.delta","delta":"Once"}',
])('hears the text of an answer in %s', (line) => {
  expect(bringsText(line)).toBe(true);
});

it.each([
  'data: {"choices":[{"delta":{"role":"assistant","content":""}}]}',
  'data: {"choices":[{"delta":{"reasoning_content":"Hm"}}]}',
  'data: {"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"Hm"}}',
  `data: ${JSON.stringify({ type: 'response.created', response: { instructions: 'sandbox "type":"text_delta"' } })}`,
  'event: response.output_text.delta',
])('hears none in %s', (line) => {
  expect(bringsText(line)).toBe(false);
});
