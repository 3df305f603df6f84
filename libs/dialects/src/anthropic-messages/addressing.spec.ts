import { aRequest } from '../builders.fixture';
import { targetOf } from './target.fixture';
import { toRequest } from './to-request';
import { anthropicMessagesToAnthropicMessages } from './translation';

const target = targetOf('claude-sonnet-4-5@20250929');
const atVertex = {
  ...target,
  stream: true,
  provider: { ...target.provider, quirks: { ...target.provider.quirks, modelInPath: true } },
};

describe('Claude at Vertex AI', () => {
  it('has the model in the path and the version in the body of a translated request', () => {
    const { path, headers, body } = toRequest(aRequest(), atVertex);
    expect(path).toBe('/claude-sonnet-4-5%4020250929:streamRawPredict');
    expect(headers).not.toHaveProperty('anthropic-version');
    expect(body).toMatchObject({ anthropic_version: 'vertex-2023-10-16', stream: true });
    expect(body).not.toHaveProperty('model');
    expect(toRequest(aRequest(), { ...atVertex, stream: false }).path).toMatch(/:rawPredict$/);
  });

  it('has them so in a request that passes, which is otherwise the same', () => {
    const { request } = anthropicMessagesToAnthropicMessages.prepare(
      Buffer.from('{"model":"vertex-anthropic/claude-sonnet-4-5","messages":[],"odd":1.50}'),
      atVertex,
      { includeUsage: false },
    );
    expect(request.path).toBe('/claude-sonnet-4-5%4020250929:streamRawPredict');
    expect(Buffer.concat(request.body).toString()).toBe(
      '{"messages":[],"odd":1.50,"anthropic_version":"vertex-2023-10-16"}',
    );
  });
});
