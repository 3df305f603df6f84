import { embeddingTarget } from '../openai-embeddings/target.fixture';
import { rerankSurface } from './surface';
import { rerankToOpenaiChat } from './translation';

const asked = { model: 'acme/order', query: 'What is a panda?', documents: ['A bear.', { text: 'A car.' }], top_n: 1 };
const results = '"results":[{"index":0,"relevance_score":0.9},{"index":1,"relevance_score":1e-3}]';

const prepare = (body: object) =>
  rerankToOpenaiChat.prepare(Buffer.from(JSON.stringify(body)), embeddingTarget('openai-chat'), {
    includeUsage: false,
  });

/** The answer read in pieces of seven bytes. */
function read(text: string) {
  const reader = prepare(asked).answerReader();
  const bytes = Buffer.from(text);
  let out = '';
  for (let at = 0; at < bytes.length; at += 7) out += Buffer.from(reader.push(bytes.subarray(at, at + 7))).toString();
  return { out: out + Buffer.from(reader.end()).toString(), reader };
}

describe('a request for the order of documents', () => {
  it('goes on as it came, under the name that its server knows', () => {
    const { request } = prepare({ ...asked, return_documents: false });
    expect(request.path).toBe('/rerank');
    expect(JSON.parse(Buffer.concat(request.body).toString())).toEqual({
      ...asked,
      model: 'vectors-1',
      return_documents: false,
    });
  });

  it('counts the question once for each document, and reserves no less', () => {
    const body = Buffer.from(JSON.stringify(asked));
    const counted = rerankToOpenaiChat.countInputTokens(body);
    const ofOne = rerankSurface.countInputTokens({ ...asked, documents: ['A bear.'] });
    expect(counted).toBeGreaterThan(ofOne * 1.5);
    expect(rerankSurface.readRequest(asked, body.length).inputTokensEstimate).toBeGreaterThan(counted);
  });

  it.each([
    ['model', { model: '' }],
    ['query', { query: undefined }],
    ['query', { query: '' }],
    ['documents', { documents: [] }],
    ['documents', { documents: Array.from({ length: 1_001 }, () => 'x') }],
    ['documents[1]', { documents: ['x', 7] }],
    ['top_n', { top_n: 0 }],
  ])('is refused naming %s', (name, change) => {
    expect(() => rerankSurface.readRequest({ ...asked, ...change }, 100)).toThrow(name);
  });
});

describe('the order of documents', () => {
  it.each([
    ["OpenAI's count", `{${results},"usage":{"prompt_tokens":9,"total_tokens":9}}`, 9],
    ["Jina's count", `{${results},"usage":{"total_tokens":8}}`, 8],
    ["Cohere's count", `{${results},"meta":{"billed_units":{"search_units":1},"tokens":{"input_tokens":7}}}`, 7],
  ])('comes back byte for byte, with %s', (_, text, input) => {
    const { out, reader } = read(text);
    expect([out, reader.state]).toEqual([text, 'complete']);
    expect(reader.usage).toMatchObject({ input, output: 0 });
  });

  it.each([
    ['an object', `{${results}}`],
    ['a list', '[{"score":0.9,"document":"A bear.","index":0}]'],
  ])('has to be counted where %s tells no usage', (_, text) => {
    const { out, reader } = read(text);
    expect([out, reader.state, reader.usage]).toEqual([text, 'complete', null]);
  });

  it.each([
    ['nothing', '', 'empty_answer'],
    ['a page', '<html></html>', 'malformed_answer'],
    ['half a document', `{${results}`, 'malformed_answer'],
    ['another document', '{"object":"list","data":[]}', 'malformed_answer'],
    ['an error', '{"error":{"message":"busy","code":"overloaded"}}', 'overloaded'],
  ])('is no answer when the server sent %s', (_, text, code) => {
    const { out, reader } = read(text);
    expect(out).toBe('');
    expect(reader).toMatchObject({ state: 'failed', error: { fault: 'retryable', code } });
  });
});
