import { readError } from './read-error';

const read = (status: number, type: string, message: string, headers: Record<string, string> = {}) =>
  readError(
    status,
    { ...headers, ...(type === '' ? {} : { 'x-amzn-errortype': type }) },
    Buffer.from(JSON.stringify({ message })),
    'Amazon Bedrock',
    0,
  );

describe('an error of Bedrock', () => {
  it.each([
    [400, 'ValidationException', 'caller'],
    [429, 'ThrottlingException', 'retryable'],
    [429, 'ModelNotReadyException', 'retryable'],
    [408, 'ModelTimeoutException', 'retryable'],
    [424, 'ModelErrorException', 'retryable'],
    [500, 'InternalServerException', 'retryable'],
    [503, 'ServiceUnavailableException', 'retryable'],
    [400, 'ServiceQuotaExceededException', 'ours'],
    [403, 'AccessDeniedException', 'ours'],
    [404, 'ResourceNotFoundException', 'ours'],
    [403, 'UnrecognizedClientException', 'ours'],
    [403, 'ExpiredTokenException', 'ours'],
  ])('%d %s is the fault of: %s', (status, type, fault) => {
    const link = `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/`;
    expect(read(status, link, 'words')).toMatchObject({ fault, code: type });
  });

  it("tells a caller Bedrock's words about their request, but not about our account", () => {
    expect(read(400, 'ValidationException', 'messages.1 is odd').message).toBe('messages.1 is odd');
    expect(read(403, 'AccessDeniedException', 'User arn:aws:iam::123:user/x may not').message).toBe(
      'Amazon Bedrock failed (403)',
    );
  });

  it.each([
    'The provided model identifier is invalid.',
    'Invocation of model ID x with on-demand throughput isn’t supported. Retry with an inference profile.',
    "You don't have access to the model with the specified model ID.",
  ])('about our model is ours, although it is a validation: %s', (message) => {
    expect(read(400, 'ValidationException', message)).toMatchObject({ fault: 'ours' });
  });

  it('about the length of the input is named as every other provider names it', () => {
    const error = read(400, 'ValidationException', 'Input is too long for requested model.');
    expect(error).toMatchObject({ fault: 'caller', code: 'context_length_exceeded' });
  });

  it('reads the time to wait', () => {
    expect(read(429, 'ThrottlingException', 'slow', { 'retry-after': '7' }).retryAfterS).toBe(7);
  });

  it.each(['', '<html>Bad gateway</html>', '[]', '{"__type":"com.amazon#ThrottlingException"}'])(
    'copes with any body: %s',
    (body) => {
      const error = readError(502, {}, Buffer.from(body), 'Amazon Bedrock', 0);
      expect(error).toMatchObject({ fault: 'retryable', retryAfterS: null });
      expect(error.message).not.toContain('<');
    },
  );
});
