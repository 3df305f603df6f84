import { GatewayError } from '@tollgate/contracts';
import type { AnswerReader } from '../provider-dialect';
import { openaiEmbeddingsToOpenaiChat } from './pass-through';
import { embeddingTarget } from './target.fixture';

const target = embeddingTarget('openai-chat');
const floats =
  '{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5, -0.25]}],"usage":{"prompt_tokens":3,"total_tokens":3},"odd":1e2}';
const base64 = floats.replace('[0.5, -0.25]', '"AAAAPwAAgL4="');

function prepare(body: object, to = target) {
  return openaiEmbeddingsToOpenaiChat.prepare(Buffer.from(JSON.stringify(body)), to, { includeUsage: false });
}

/** Feeds an answer in pieces of this size. */
function answerOf(reader: AnswerReader, text: string, pieceBytes = 7): string {
  const bytes = Buffer.from(text);
  let out = '';
  for (let at = 0; at < bytes.length; at += pieceBytes)
    out += Buffer.from(reader.push(bytes.subarray(at, at + pieceBytes))).toString();
  return out + Buffer.from(reader.end()).toString();
}

describe("embeddings of a provider that has OpenAI's", () => {
  it('are asked in the bytes of the caller, with the name of the model there', () => {
    const body = Buffer.from('\ufeff{ "input":"x",\n "model":"a", "model":"acme/vectors", "new_field":1.0 }');
    const { request } = openaiEmbeddingsToOpenaiChat.prepare(body, target, { includeUsage: false });
    expect(request.path).toBe('/embeddings');
    expect(Buffer.concat(request.body).toString()).toBe('{ "input":"x", "model":"vectors-1", "new_field":1.0 }');
    expect(request.warnings).toEqual([]);
  });

  it('are asked with the tokens that a client cut where the model is one of OpenAI, and with their words elsewhere', () => {
    const sent = (upstreamModel: string) => {
      const { request } = prepare({ model: 'm', input: [15339, 1917], odd: 1 }, { ...target, upstreamModel });
      return { ...(JSON.parse(Buffer.concat(request.body).toString()) as object), told: request.warnings.length };
    };
    const own = 'text-embedding-3-small';
    expect(sent(own)).toEqual({ model: own, input: [15339, 1917], odd: 1, told: 0 });
    expect(sent('mistral-embed')).toEqual({ model: 'mistral-embed', input: ['hello world'], odd: 1, told: 1 });
  });

  it('are asked with the words of these tokens alone, also after tokens that end inside a character', () => {
    const sent = (input: unknown) => {
      const { request } = prepare({ model: 'm', input }, { ...target, upstreamModel: 'mistral-embed' });
      return (JSON.parse(Buffer.concat(request.body).toString()) as { input: unknown }).input;
    };
    const [smile, flamingo] = [
      [76460, 222],
      [9468, 99, 102],
    ] as const;
    expect(sent([[76460], smile])).toEqual(['\ufffd', '😀']);
    expect(sent([15339, 9468, 99])).toEqual(['hello\ufffd']);
    expect(sent([...flamingo, 1917, ...smile, 100257])).toEqual(['🦩 world😀<|endoftext|>']);
  });

  it.each([
    ['of no vocabulary', [100_256], "'input[0]' must be text, or tokens"],
    ['of more than one input takes', Array.from({ length: 8_193 }, () => 15339), "'input[0]' must hold at most 8192"],
  ])('are a 400 for tokens %s where they have to be decoded', (_, input, message) => {
    const ask = () => prepare({ model: 'm', input }, { ...target, upstreamModel: 'mistral-embed' });
    expect(ask).toThrow(GatewayError);
    expect(ask).toThrow(message);
  });

  it('pass tokens of any number to a server of the operator, whose limits are its own', () => {
    const input = Array.from({ length: 8_193 }, () => 15339);
    const own = { ...target, provider: { ...target.provider, operatorDefined: true } };
    expect(JSON.parse(Buffer.concat(prepare({ model: 'm', input }, own).request.body).toString())).toMatchObject({
      input,
    });
  });

  it('are asked without the fields that the provider refuses, and the caller is told', () => {
    const to = embeddingTarget('openai-chat', { dropFields: ['user'] });
    const { request } = prepare({ model: 'm', input: 'x', user: 'u' }, to);
    expect(JSON.parse(Buffer.concat(request.body).toString())).toEqual({ model: 'vectors-1', input: 'x' });
    expect(request.warnings).toEqual(['user was dropped: Acme does not take it']);
  });

  it('are asked for the size of a vector as the provider calls it', () => {
    const to = embeddingTarget('openai-chat', { dimensionsField: 'output_dimension' });
    const { request } = prepare({ model: 'm', input: [[15339]], dimensions: 4 }, to);
    expect(JSON.parse(Buffer.concat(request.body).toString())).toEqual({
      model: 'vectors-1',
      input: ['hello'],
      output_dimension: 4,
    });
  });

  it.each([
    ['float', floats],
    ['base64', base64],
  ])('come back byte for byte in the form that was asked for: %s', (format, text) => {
    const reader = prepare({ model: 'm', input: 'x', encoding_format: format }).answerReader();
    expect(answerOf(reader, text)).toBe(text);
    expect(reader).toMatchObject({ state: 'complete', usage: { input: 3, output: 0 }, hasContent: true });
  });

  it('are put into the form that was asked for where the provider knows only the other', () => {
    const asBase64 = answerOf(prepare({ model: 'm', input: 'x', encoding_format: 'base64' }).answerReader(), floats);
    expect(JSON.parse(asBase64)).toEqual(JSON.parse(base64));
    const asFloats = answerOf(prepare({ model: 'm', input: 'x' }).answerReader(), base64);
    expect(JSON.parse(asFloats)).toEqual(JSON.parse(floats));
  });

  it.each([
    ['no usage', '{"data":[]}'],
    ['a count of 0', '{"data":[],"usage":{"prompt_tokens":0,"total_tokens":0}}'],
    ['no number', '{"data":[],"usage":{"prompt_tokens":"3"}}'],
  ])('have to be counted when the provider told %s', (_, text) => {
    const reader = prepare({ model: 'm', input: 'x' }).answerReader();
    answerOf(reader, text);
    expect(reader).toMatchObject({ state: 'complete', usage: null });
  });

  it.each([
    ['nothing', '', 'empty_answer'],
    ['a page', '<html></html>', 'malformed_answer'],
    ['half a document', floats.slice(0, -20), 'malformed_answer'],
    ['another document', '{"object":"list"}', 'malformed_answer'],
    ['vectors of another kind', '{"data":[{"embedding":"x"}]}', 'malformed_answer'],
    ['an error', '{"error":{"message":"busy","code":"overloaded"}}', 'overloaded'],
  ])('are no answer when the provider sent %s, and may be tried elsewhere', (_, text, code) => {
    const reader = prepare({ model: 'm', input: 'x' }).answerReader();
    expect(answerOf(reader, text)).toBe('');
    expect(reader).toMatchObject({ state: 'failed', error: { fault: 'retryable', code } });
  });
});
