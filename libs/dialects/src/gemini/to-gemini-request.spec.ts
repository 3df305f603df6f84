import { fitRequest } from '../canonical/fit-request';
import type { CanonicalMessage, CanonicalRequest, MessagePart } from '../canonical/generation-request';
import { geminiProviderCodec } from './provider-codec';
import { aRequest } from '../builders.fixture';
import { geminiTarget } from './target.fixture';
import { toGeminiRequest } from './to-gemini-request';

const text = (value: string): MessagePart => ({ type: 'text', text: value });
const says = (role: CanonicalMessage['role'], ...parts: MessagePart[]): CanonicalMessage => ({ role, parts });
const call = (id: string, name = 'f', given = '{"a":1}'): MessagePart => ({
  type: 'tool-call',
  id,
  name,
  arguments: given,
});
const result = (toolCallId: string, words: string): MessagePart => ({
  type: 'tool-result',
  toolCallId,
  content: [{ type: 'text', text: words }],
});
const f = { name: 'f', parameters: { type: 'object', properties: { a: { type: 'integer' } } } };

interface SentBody {
  contents: { role: string; parts: { functionCall?: { args: unknown } }[] }[];
  systemInstruction?: { parts: { text: string }[] };
  tools?: { functionDeclarations: object[] }[];
  toolConfig?: object;
  generationConfig?: object;
}

/** What is sent for a request, as JSON has it. */
function sent(overrides: Partial<CanonicalRequest>, model?: string) {
  const { request } = fitRequest(aRequest(overrides), geminiProviderCodec, geminiTarget(model));
  const { body, warnings, path } = toGeminiRequest(request, geminiTarget(model));
  const told: SentBody = JSON.parse(JSON.stringify(body));
  return { body: told, warnings, path };
}

describe('a request to Gemini', () => {
  it('has the model in its path, and asks for events where it streams', () => {
    expect(sent({}).path).toBe('/models/gemini-2.5-flash:generateContent');
    expect(sent({ stream: true }).path).toBe('/models/gemini-2.5-flash:streamGenerateContent?alt=sse');
    expect(sent({})).toMatchObject({
      body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
      warnings: [],
    });
    expect(Object.keys(sent({}).body)).toEqual(['contents']);
  });

  it('is not to be kept, where the provider keeps what does not say so', () => {
    const target = geminiTarget();
    const quirks = { ...target.provider.quirks, keepsUnlessTold: true };
    const keeping = { ...target, provider: { ...target.provider, quirks } };
    expect(toGeminiRequest(aRequest(), keeping).body).toMatchObject({ store: false });
    expect(toGeminiRequest(aRequest(), target).body).not.toHaveProperty('store');
  });

  it('asks for the tier that the caller asks for, where the provider takes it there', () => {
    const target = geminiTarget();
    const quirks = { ...target.provider.quirks, takesServiceTier: true };
    const selling = { ...target, provider: { ...target.provider, quirks } };
    const asked = (tier: unknown, at = selling) => {
      const { request, warnings: before } = fitRequest(
        aRequest({ extra: { service_tier: tier } }),
        geminiProviderCodec,
        at,
      );
      const { body, warnings } = toGeminiRequest(request, at);
      return { tier: body.serviceTier, warnings: [...before, ...warnings] };
    };
    expect(asked('flex')).toEqual({ tier: 'flex', warnings: [] });
    expect(asked('fast')).toEqual({ tier: 'priority', warnings: [] });
    expect(asked('auto')).toEqual({ tier: undefined, warnings: [] });
    const dropped = { tier: undefined, warnings: [expect.stringContaining('service_tier was dropped') as string] };
    expect(asked('scale')).toEqual(dropped);
    expect(asked('flex', target)).toEqual(dropped);
  });

  it('joins neighbours of one role, keeps instructions in order, and says which were moved', () => {
    const messages = [
      says('system', text('one')),
      says('developer', text('two')),
      says('user', text('a'), text('')),
      says('user', text('b')),
      says('assistant', text('c')),
      says('assistant', { type: 'refusal', text: 'd' }),
      says('system', text('three')),
      says('user', text(' ')),
    ];
    const { body, warnings } = sent({ messages });
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: 'one' }, { text: 'two' }, { text: 'three' }] },
      contents: [
        { role: 'user', parts: [{ text: 'a' }, { text: 'b' }] },
        { role: 'model', parts: [{ text: 'c' }, { text: 'd' }] },
        { role: 'user', parts: [{ text: ' ' }] },
      ],
    });
    expect(warnings).toEqual(['a system message was moved to the front: Gemini takes instructions only there']);
  });

  it('sends an instruction alone as a question, and refuses to ask nothing', () => {
    const { body, warnings } = sent({ messages: [says('system', text('do'))] });
    expect(body).toEqual({ contents: [{ role: 'user', parts: [{ text: 'do' }] }] });
    expect(warnings).toHaveLength(1);
    expect(() => sent({ messages: [says('user', text(''))] })).toThrow('hold nothing');
  });

  it('answers calls together, in their order and before other content, with names found from the calls', () => {
    const messages = [
      says('user', text('go')),
      says('assistant', call('c1', 'f'), call('c2', 'g', '')),
      says('user', text('also'), result('c2', 'two')),
      says('tool', { ...result('c1', 'no'), type: 'tool-result', toolCallId: 'c1', content: [], isError: true }),
    ];
    expect(sent({ messages }, 'gemini-3.5-flash').body.contents.slice(1)).toEqual([
      {
        role: 'model',
        parts: [
          {
            functionCall: { id: 'c1', name: 'f', args: { a: 1 } },
            thoughtSignature: 'skip_thought_signature_validator',
          },
          { functionCall: { id: 'c2', name: 'g', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'c1', name: 'f', response: { error: '' } } },
          { functionResponse: { id: 'c2', name: 'g', response: { output: 'two' } } },
          { text: 'also' },
        ],
      },
    ]);
  });

  it('leaves ids and made-up signatures to the models that know them', () => {
    const messages = [says('user', text('go')), says('assistant', call('c1')), says('tool', result('c1', 'one'))];
    expect(sent({ messages }, 'gemini-2.5-pro').body.contents.slice(1)).toEqual([
      { role: 'model', parts: [{ functionCall: { name: 'f', args: { a: 1 } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'one' } } }] },
    ]);
  });

  it('refuses the result of a call that was never made, and keeps broken arguments as text', () => {
    expect(() => sent({ messages: [says('tool', result('lost', 'x'))] })).toThrow("the tool call 'lost'");
    const { body, warnings } = sent({
      messages: [says('user', text('go')), says('assistant', call('c', 'f', '{"a":'))],
    });
    expect(body.contents[1]?.parts[0]?.functionCall?.args).toEqual({ arguments: '{"a":' });
    expect(warnings).toEqual([
      'the arguments of a call of f were no JSON object; they are sent as text under "arguments"',
    ]);
  });

  it("takes the media of a tool's answer where the model does, and puts it behind the answer elsewhere", () => {
    const image = { type: 'image' as const, source: { kind: 'data' as const, mediaType: 'image/png', data: 'AAAA' } };
    const messages = [
      says('user', text('go')),
      says('assistant', call('c1')),
      says('tool', { type: 'tool-result', toolCallId: 'c1', content: [{ type: 'text', text: 'see' }, image] }),
    ];
    const inlineData = { mimeType: 'image/png', data: 'AAAA' };
    expect(sent({ messages }, 'gemini-3.5-flash').body.contents[2]?.parts).toEqual([
      { functionResponse: { id: 'c1', name: 'f', response: { output: 'see' }, parts: [{ inlineData }] } },
    ]);
    const older = sent({ messages });
    expect(older.body.contents[2]?.parts).toEqual([
      { functionResponse: { name: 'f', response: { output: 'see' } } },
      { inlineData },
    ]);
    expect(older.warnings).toHaveLength(1);
  });

  it('takes media as data and by public address, and tells a guessed type', () => {
    const media: MessagePart[] = [
      { type: 'image', source: { kind: 'data', mediaType: 'image/webp', data: 'AA' } },
      { type: 'file', source: { kind: 'url', url: 'https://a.example/b.PDF?x=1' } },
      { type: 'audio', source: { kind: 'data', mediaType: 'audio/wav', data: 'BB' } },
      { type: 'image', source: { kind: 'url', url: 'https://a.example/image' } },
    ];
    const { body, warnings } = sent({ messages: [says('user', ...media)] });
    expect(body.contents[0]?.parts).toEqual([
      { inlineData: { mimeType: 'image/webp', data: 'AA' } },
      { fileData: { mimeType: 'application/pdf', fileUri: 'https://a.example/b.PDF?x=1' } },
      { inlineData: { mimeType: 'audio/wav', data: 'BB' } },
      { fileData: { mimeType: 'image/jpeg', fileUri: 'https://a.example/image' } },
    ]);
    expect(warnings).toEqual([expect.stringContaining('was taken for image/jpeg')]);
  });

  it.each(['gs://our-bucket/secret.pdf', 'https://generativelanguage.googleapis.com/v1beta/files/abc'])(
    "does not let a caller read the files of the gateway's own account: %s",
    (url) => {
      const part: MessagePart = { type: 'file', source: { kind: 'url', url } };
      expect(() => sent({ messages: [says('user', part)] })).toThrow('public web');
    },
  );

  it('writes the sampling, and clamps or drops with a warning what Gemini does not take', () => {
    const { body, warnings } = sent({
      maxOutputTokens: 9,
      temperature: 2,
      topP: 0.5,
      topK: 3,
      stop: ['x', ''],
      seed: 7,
      choices: 2,
      presencePenalty: 2,
      frequencyPenalty: -2,
      logprobs: { top: 4 },
    });
    expect(body.generationConfig).toEqual({
      maxOutputTokens: 9,
      temperature: 2,
      topP: 0.5,
      topK: 3,
      stopSequences: ['x'],
      seed: 7,
      candidateCount: 2,
      presencePenalty: 1.99,
      frequencyPenalty: -2,
      responseLogprobs: true,
      logprobs: 4,
    });
    expect(warnings).toEqual(['presence penalty was changed to 1.99: Gemini takes less than 2']);
    expect(sent({ seed: 2 ** 40 }).warnings).toEqual(['seed was dropped: Gemini takes whole numbers of 32 bits']);
    expect(() => sent({ stop: ['1', '2', '3', '4', '5', '6'] })).toThrow('Gemini takes 5');
  });

  it.each([
    [{ type: 'none' as const }, { mode: 'NONE' }],
    [{ type: 'auto' as const }, { mode: 'AUTO' }],
    [{ type: 'required' as const }, { mode: 'ANY' }],
    [
      { type: 'tool' as const, name: 'f' },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
  ])('makes the tool choice %j the mode %j', (toolChoice, functionCallingConfig) => {
    expect(sent({ tools: [f], toolChoice }).body.toolConfig).toEqual({ functionCallingConfig });
  });

  it('declares tools with JSON schema, without one where there are no parameters, and binds strict ones', () => {
    const tools = [
      { ...f, description: 'does', strict: true },
      { name: 'g' },
      { name: 'h', parameters: { type: 'object', properties: {}, additionalProperties: false, $schema: 'x' } },
    ];
    expect(sent({ tools }).body).toMatchObject({
      tools: [
        {
          functionDeclarations: [
            { name: 'f', description: 'does', parametersJsonSchema: f.parameters },
            { name: 'g' },
            { name: 'h' },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } },
    });
    expect(sent({ tools }).body.tools?.[0]?.functionDeclarations[2]).toEqual({ name: 'h' });
    expect(() => sent({ toolChoice: { type: 'required' } })).toThrow('there are none');
  });

  it('binds an answer to JSON, in words where an older model has tools beside it', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', minLength: 3 } } };
    const responseFormat = { type: 'json-schema' as const, name: 'answer', schema };
    expect(sent({ responseFormat: { type: 'json-object' } }).body.generationConfig).toEqual({
      responseMimeType: 'application/json',
    });
    const { body, warnings } = sent({ responseFormat });
    expect(body.generationConfig).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object', properties: { a: { type: 'string', description: '{minLength: 3}' } } },
    });
    expect(warnings).toEqual(['minLength in the JSON schema: told to the model in words, not enforced']);
    expect(sent({ responseFormat, tools: [f] }, 'gemini-3.5-flash').body.generationConfig).toBeDefined();
    const inWords = sent({ responseFormat, tools: [f] });
    expect(inWords.body.generationConfig).toBeUndefined();
    expect(inWords.body.systemInstruction?.parts[0]?.text).toContain(JSON.stringify(schema));
    expect(inWords.warnings).toHaveLength(1);
  });
});
