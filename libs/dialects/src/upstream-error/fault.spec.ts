import { codeOf, faultOfAnswer, toldBeside } from './fault';

describe('whose fault an answer is', () => {
  it.each([
    [404, "Item with id 'rs_68a' not found. Items are not persisted when `store` is set to false."],
    [404, 'No such File object: file-abc'],
    [404, "Container with id 'cntr_1' not found."],
    [403, 'You do not have permission to access the File abc or it may not exist.'],
    [500, 'input is too large to process. increase the physical batch size'],
    [500, 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj'],
    [
      410,
      'Live search is deprecated. Please switch to the Agent Tools API: https://docs.x.ai/docs/guides/tools/overview',
    ],
    [500, 'invalid JSON schema in format'],
    [500, "Failed to parse messages: [json.exception.out_of_range.403] key 'text' not found"],
    [500, 'Failed to parse messages: Unsupported content part type; messages = [{"content": null}]'],
    [500, 'Failed to parse messages: Missing role; messages = [{"content": "My upstream panics: out of memory"}]'],
    [500, 'litellm.InternalServerError: InternalServerError: OpenAIException - Failed to parse messages: [json]'],
  ])('%d "%s" is the caller’s', (status, text) => {
    expect(faultOfAnswer(status, text)).toBe('caller');
    expect(toldBeside(status, 'caller', text).status).toBe(status === 500 || status === 410 ? undefined : status);
  });

  it.each([
    [404, 'The model `gpt-x` does not exist or you do not have access to it.', 'ours'],
    [404, 'models/x is not found for API version v1beta', 'ours'],
    [403, 'Project proj_1 does not have access to files', 'ours'],
    [404, '', 'ours'],
    [404, 'Invalid URL (POST /v1/responses)', 'ours'],
    [410, 'The model has reached its end of life and is no longer available', 'ours'],
    [500, 'boom', 'retryable'],
    [500, 'Failed to parse input at pos 7: <tool_call>', 'retryable'],
    [500, 'request timed out: deadline exceeded', 'retryable'],
    [500, 'invalid memory access in input layer', 'retryable'],
    [503, 'Loading model', 'retryable'],
    [503, 'request rate limit exceeded', 'retryable'],
    [503, 'Request limit exceeded.', 'retryable'],
    [504, 'The request exceeded 60 seconds.', 'retryable'],
  ])('%d "%s" is not: %s', (status, text, fault) => {
    expect(faultOfAnswer(status, text)).toBe(fault);
  });

  it.each([
    ['Request too large for gpt-4 on tokens per min (TPM): Limit 30000, Requested 35000.', true],
    ['Rate limit reached on tokens per min (TPM): Limit 10000, Used 9000, Requested 2000.', true],
    ['Request too large for model `x`, please reduce your message size and try again.', true],
    ['Rate limit reached on requests per min (RPM): Limit 60, Used 60.', undefined],
    ['Too many requests', undefined],
  ])('"%s" concerns one request alone: %s', (text, alone) => {
    expect(toldBeside(429, 'retryable', text).aboutRequest).toBe(alone);
  });

  it.each([
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
    'the request exceeds the available context size (8192 tokens), try increasing it',
    'prompt is too long: 210000 tokens > 200000 maximum',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'Input is too long for requested model.',
    'too many tokens: total number of tokens cannot exceed the model context',
  ])('names every full context in the same way: %s', (text) => {
    expect(codeOf('x', 'caller', text)).toBe('context_length_exceeded');
  });

  it('looks at a long text no longer than at a short one', () => {
    expect(faultOfAnswer(500, 'input '.repeat(100_000))).toBe('retryable');
  });
});
