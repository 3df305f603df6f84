import { AllowedMethods } from './allowed-methods';

describe('the methods of an address', () => {
  const methods = new AllowedMethods();
  methods.add('/v1/models', 'GET');
  methods.add('/v1/models', ['HEAD']);
  methods.add('/v1/models/*', 'GET');

  it.each([
    ['/v1/models', ['GET', 'HEAD']],
    ['/v1/models/a/b', ['GET']],
    ['/v1/models/', []],
    ['/v1', []],
  ])('%s: %j', (path, expected) => {
    expect(methods.of(path)).toEqual(expected);
  });
});
