import { surfaces } from '@tollgate/dialects/surface';
import { openApiDocument } from './openapi-document';

describe('the public contract', () => {
  const document = openApiDocument();

  it('describes every surface and every reading endpoint', () => {
    const paths = [...surfaces.map(({ path }) => path), '/v1/models', '/v1/models/{id}', '/v1/usage', '/api/metrics'];
    expect(Object.keys(document.paths).sort()).toEqual(paths.sort());
  });

  it('has no reference to a schema that is not there', () => {
    const names = [...JSON.stringify(document.paths).matchAll(/#\/components\/schemas\/(\w+)/g)].map(
      ([, name]) => name,
    );
    expect(names.filter((name) => !(name && document.components?.schemas?.[name]))).toEqual([]);
  });
});
