import { GoogleTokens, type AccessToken } from './google-tokens';

const minutes = 60_000;

/** Tokens that are good for an hour, from a source whose answers the test decides. */
function source() {
  const state = { nowMs: 0, fetched: 0, fails: false };
  const fetchToken = async (): Promise<AccessToken> => {
    state.fetched += 1;
    if (state.fails) throw new Error('the token server is away');
    return { value: `token-${state.fetched}`, expiresAtMs: state.nowMs + 60 * minutes };
  };
  return { state, tokens: new GoogleTokens(fetchToken, () => state.nowMs) };
}

describe("Google's access tokens", () => {
  it('are fetched once for requests that come together, and then given without waiting', async () => {
    const { state, tokens } = source();
    const first = await Promise.all([tokens.authorize(), tokens.authorize(), tokens.authorize()]);
    expect(first).toEqual(Array(3).fill({ authorization: 'Bearer token-1' }));
    expect(tokens.authorize()).toEqual({ authorization: 'Bearer token-1' });
    expect(state.fetched).toBe(1);
  });

  it('are renewed before they expire, while the old one still serves', async () => {
    const { state, tokens } = source();
    await tokens.authorize();
    state.nowMs = 57 * minutes;
    expect(tokens.authorize()).toEqual({ authorization: 'Bearer token-1' });
    await new Promise(setImmediate);
    expect(tokens.authorize()).toEqual({ authorization: 'Bearer token-2' });
    expect(state.fetched).toBe(2);
  });

  it('are never sent when they expire on the way', async () => {
    const { state, tokens } = source();
    await tokens.authorize();
    state.nowMs = 60 * minutes - 10_000;
    expect(await tokens.authorize()).toEqual({ authorization: 'Bearer token-2' });
  });

  it('stay in use while a renewal fails and they are good; then the failure shows, and the next request tries again', async () => {
    const { state, tokens } = source();
    await tokens.authorize();
    state.fails = true;
    state.nowMs = 58 * minutes;
    expect(tokens.authorize()).toEqual({ authorization: 'Bearer token-1' });
    await new Promise(setImmediate);
    state.nowMs = 61 * minutes;
    await expect(tokens.authorize()).rejects.toThrow('away');
    state.fails = false;
    expect(await tokens.authorize()).toEqual({ authorization: 'Bearer token-4' });
  });
});
