import { GatewayError } from '@tollgate/contracts';
import type { GenerationSurface } from '@tollgate/contracts';
import { aModel } from '../builders.fixture';
import { continuedRequest } from '../canonical/continued-request';
import { surfaces } from '../surface';
import { inWords } from './in-words';
import { mediaForms } from './media-forms';
import { mediaWords, unmetNeed } from './media-needs';

const blind = aModel({ id: 'acme/blind', upstreamModel: 'blind' });
const reader = aModel({ id: 'acme/reader', upstreamModel: 'reader', inputModalities: ['text', 'pdf'] });
const able = aModel({ id: 'acme/able', upstreamModel: 'able', inputModalities: ['text', 'image', 'pdf', 'audio'] });

function written(surface: GenerationSurface, body: object, model = blind): unknown {
  const bytes = Buffer.from(JSON.stringify(body));
  return JSON.parse(Buffer.from(inWords(bytes, mediaForms[surface], model, true).body).toString());
}

function told(surface: GenerationSurface, body: object, model = blind): readonly string[] {
  return inWords(Buffer.from(JSON.stringify(body)), mediaForms[surface], model, true).warnings;
}

/** What edge finds of the same body: it must agree on what is refused. */
function neededBy(name: GenerationSurface, body: object): readonly string[] {
  const surface = surfaces.find((each) => each.name === name);
  return surface?.readRequest({ model: 'm', max_tokens: 9, ...body }, 9).needs ?? [];
}

const url = 'data:image/png;base64,AAAA';
const chatImage = { type: 'image_url', image_url: { url } };
const chatFile = { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } };
const recording = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } };
const plain = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a' } };
const inputImage = { type: 'input_image', image_url: url };
const inputFile = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' };

const hello = { role: 'user', content: 'Hello' };
const said = { role: 'assistant', content: 'A gate.' };
const words = (need: keyof typeof mediaWords, type = 'text') => ({ type, text: mediaWords[need] });
const result = (...content: object[]) => ({ type: 'tool_result', tool_use_id: 'a', content });
const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] };
const output = { type: 'function_call_output', call_id: 'a' };

describe('what a model does not take', () => {
  it.each<[string, GenerationSurface, object, object]>([
    [
      'of an earlier turn of a chat',
      'openai-chat',
      { messages: [{ role: 'user', content: [chatImage, chatFile, recording] }, said, hello] },
      { messages: [{ role: 'user', content: [words('images'), words('files'), words('audio')] }, said, hello] },
    ],
    [
      'that a tool of a chat has read',
      'openai-chat',
      { messages: [hello, { role: 'tool', tool_call_id: 'a', content: [chatImage] }] },
      { messages: [hello, { role: 'tool', tool_call_id: 'a', content: [words('images')] }] },
    ],
    [
      'that a client of chat put behind a result',
      'openai-chat',
      {
        messages: [
          { role: 'tool', tool_call_id: 'a', content: 'See below.' },
          { role: 'user', content: [chatImage] },
        ],
      },
      {
        messages: [
          { role: 'tool', tool_call_id: 'a', content: 'See below.' },
          { role: 'user', content: [words('images')] },
        ],
      },
    ],
    [
      'that was refused before',
      'openai-chat',
      { messages: [{ role: 'user', content: [chatImage] }, hello] },
      { messages: [{ role: 'user', content: [words('images')] }, hello] },
    ],
    [
      'in results of messages, and beside them',
      'anthropic-messages',
      { messages: [hello, use, { role: 'user', content: [result({ type: 'text', text: 'a' }, image), pdf] }] },
      {
        messages: [
          hello,
          use,
          { role: 'user', content: [result({ type: 'text', text: 'a' }, words('images')), words('files')] },
        ],
      },
    ],
    [
      'within a document of an earlier message',
      'anthropic-messages',
      {
        messages: [
          { role: 'user', content: [{ type: 'document', source: { type: 'content', content: [image] } }] },
          said,
          hello,
        ],
      },
      {
        messages: [
          { role: 'user', content: [{ type: 'document', source: { type: 'content', content: [words('images')] } }] },
          said,
          hello,
        ],
      },
    ],
    [
      'of what a tool of responses gave back',
      'openai-responses',
      { input: [hello, { ...output, output: [inputImage, inputFile] }] },
      { input: [hello, { ...output, output: [words('images', 'input_text'), words('files', 'input_text')] }] },
    ],
    [
      'of an earlier item of responses',
      'openai-responses',
      { input: [{ type: 'message', role: 'user', content: [inputImage] }, said, hello] },
      { input: [{ type: 'message', role: 'user', content: [words('images', 'input_text')] }, said, hello] },
    ],
    [
      'of a conversation that is to be compacted',
      'openai-responses',
      { input: [{ role: 'user', content: [inputImage] }, { type: 'compaction_trigger' }] },
      { input: [{ role: 'user', content: [words('images', 'input_text')] }, { type: 'compaction_trigger' }] },
    ],
  ])('becomes words %s, and nobody needs it', (_, surface, body, left) => {
    expect(written(surface, body)).toEqual(left);
    expect(neededBy(surface, body)).toEqual([]);
    expect(told(surface, body)[0]).toMatch(/^(?:images|files) .* became words: acme\/blind does not take/);
  });

  it.each<[string, GenerationSurface, object, 'images' | 'files' | 'audio']>([
    ['a chat', 'openai-chat', { messages: [{ role: 'user', content: [chatImage] }] }, 'images'],
    ['a chat', 'openai-chat', { messages: [said, { role: 'user', content: [recording] }] }, 'audio'],
    ['messages', 'anthropic-messages', { messages: [hello, said, { role: 'user', content: [pdf] }] }, 'files'],
    [
      'messages with an answer that was begun',
      'anthropic-messages',
      { messages: [{ role: 'user', content: [image] }, said] },
      'images',
    ],
    ['responses', 'openai-responses', { input: [hello, said, { role: 'user', content: [inputImage] }] }, 'images'],
  ])('is a 400 in what the user asks now, of %s', (_, surface, body, need) => {
    expect(() => written(surface, body)).toThrow(unmetNeed('acme/blind', need));
    expect(() => written(surface, body)).toThrow(GatewayError);
    expect(neededBy(surface, body)).toEqual([need]);
  });

  it.each<[GenerationSurface, object]>([
    ['openai-chat', { messages: [hello, said, { role: 'user', content: [chatImage] }] }],
    ['anthropic-messages', { messages: [{ role: 'user', content: [image] }] }],
    ['openai-responses', { input: [{ role: 'user', content: [inputImage] }] }],
  ])('is a 400 where an answer to it is to go on, of %s', (surface, body) => {
    const source = Buffer.from(JSON.stringify({ model: 'm', ...body }));
    const goesOn = continuedRequest(surface, source, 'The gate', 9) ?? source;
    expect(() => inWords(goesOn, mediaForms[surface], blind, true)).toThrow(unmetNeed('acme/blind', 'images'));
  });

  it('is told by kind, once for each', () => {
    const before = { role: 'user', content: [image, image, pdf] };
    expect(told('anthropic-messages', { messages: [before, said, hello] })).toEqual([
      'images of earlier turns and of tools became words: acme/blind does not take images',
      'files of earlier turns and of tools became words: acme/blind does not take files',
    ]);
  });

  it('keeps its mark for the cache', () => {
    const marked = { ...image, cache_control: { type: 'ephemeral' } };
    expect(written('anthropic-messages', { messages: [{ role: 'user', content: [marked] }, said, hello] })).toEqual({
      messages: [{ role: 'user', content: [{ ...words('images'), cache_control: marked.cache_control }] }, said, hello],
    });
  });
});

describe('what stays byte for byte', () => {
  const before = { role: 'user', content: [image, pdf, plain] };
  const text = `\ufeff{ "n": 1.0, "messages": [${JSON.stringify(before)} ,${JSON.stringify(said)}, {"role":"user", "content":"\\u0041"}] }`;

  it('is a body whose model takes everything, or that only speaks of pictures', () => {
    const bodies = [Buffer.from(text), Buffer.from('{"messages":[{"role":"user","content":"\\"image\\" "}]}')];
    const [whole = Buffer.of(), spoken = Buffer.of()] = bodies;
    expect(inWords(whole, mediaForms['anthropic-messages'], able, true).body).toBe(whole);
    expect(inWords(spoken, mediaForms['anthropic-messages'], blind, true).body).toBe(spoken);
  });

  it('is everything beside what becomes words', () => {
    const { body } = inWords(Buffer.from(text), mediaForms['anthropic-messages'], reader, true);
    const left = JSON.stringify({ role: 'user', content: [words('images'), pdf, plain] });
    expect(Buffer.from(body).toString()).toBe(
      `{ "n": 1.0, "messages": [${left},${JSON.stringify(said)},{"role":"user", "content":"\\u0041"}] }`,
    );
  });

  it('is a member that a later one of its name makes void', () => {
    const text = `{"messages":[{"role":"user","content":[${JSON.stringify(image)}],"content":"a"},${JSON.stringify(said)},${JSON.stringify(hello)}]}`;
    const { body, warnings } = inWords(Buffer.from(text), mediaForms['anthropic-messages'], blind, true);
    expect([Buffer.from(body).toString(), warnings]).toEqual([text, []]);
  });

  it('is what no client nests so deep, and a body of more values than are looked through', () => {
    let deep: object = { type: 'x', content: [image] };
    for (let level = 0; level < 4; level++) deep = { type: 'x', content: [deep] };
    const first = { role: 'user', content: [image] };
    const many = { messages: [first, said, hello], values: Array.from({ length: 50_000 }, () => 0) };
    for (const body of [{ messages: [{ role: 'user', content: [deep] }, said, hello] }, many]) {
      const bytes = Buffer.from(JSON.stringify(body));
      expect(inWords(bytes, mediaForms['anthropic-messages'], blind, true)).toEqual({ body: bytes, warnings: [] });
    }
  });
});
