import { providerHeaders } from './provider-headers';

describe('the headers of a messages request', () => {
  it('pass on what a provider may need, never the key', () => {
    const needed = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b' };
    expect(providerHeaders({ ...needed, authorization: 'Bearer x', 'x-api-key': 'x', cookie: 'a=b' })).toEqual(needed);
    expect(providerHeaders({})).toEqual({});
  });

  it.each(['latest', '2023-6-1', '2023-13-01', ''])(
    'refuse the version %j with a 400 that names the header',
    (version) => {
      expect(() => providerHeaders({ 'anthropic-version': version })).toThrow("'anthropic-version' must be a date");
    },
  );
});
