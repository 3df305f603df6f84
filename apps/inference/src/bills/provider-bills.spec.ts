import { builtInProviders } from '@tollgate/providers';
import { noBill } from './provider-bills';

describe('why no bill can be read', () => {
  const reachable = builtInProviders.filter(({ id }) => ['openai', 'openrouter', 'mistral'].includes(id));

  it.each([
    [null, /set the one of OpenAI \(OPENAI_ADMIN_KEY\), OpenRouter \(OPENROUTER_API_KEY\), or import/],
    ['openai', /set the one of OpenAI \(OPENAI_ADMIN_KEY\), or import/],
    ['mistral', /^Mistral does not tell its bills\. Import/],
    ['anthropic', /^No provider with a key is called anthropic\. Import/],
  ])('of %s is said with what helps', (wanted, said) => {
    expect(noBill(reachable, wanted)).toMatch(said);
  });

  it('is that none tells them, where no such provider has a key', () => {
    expect(noBill([], null)).toMatch(/^None of the providers with a key tells its bills\. Import/);
  });
});
