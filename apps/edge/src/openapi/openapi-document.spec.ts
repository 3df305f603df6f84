import { operations } from '../generation/operations';
import { openApiDocument } from './openapi-document';

describe('the public contract', () => {
  const document = openApiDocument();

  it('describes every operation and every reading endpoint', () => {
    const paths = [...operations.map(({ path }) => path), '/v1/models', '/v1/models/{id}', '/v1/usage', '/api/metrics'];
    expect(Object.keys(document.paths).sort()).toEqual(paths.sort());
  });

  it('has no reference to a schema that is not there', () => {
    const names = [...JSON.stringify(document.paths).matchAll(/#\/components\/schemas\/(\w+)/g)].map(
      ([, name]) => name,
    );
    expect(names.filter((name) => !(name && document.components?.schemas?.[name]))).toEqual([]);
  });

  it('gives the errors of the messages endpoints in the shape that Anthropic clients read', () => {
    const shapeAt = (path: string) => JSON.stringify(document.paths[path]?.post?.responses['429']);
    expect(shapeAt('/v1/messages')).toContain('/MessagesError');
    expect(shapeAt('/v1/messages/count_tokens')).toContain('/MessagesError');
    expect(shapeAt('/v1/embeddings')).toContain('/Error');
  });
});
