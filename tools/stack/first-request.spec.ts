import { catalogSnapshot, providerDefinition } from '@tollgate/contracts/catalog';
import { aModel } from '@tollgate/testing';
import { firstLook } from './first-request';
import { greeting, noticeOf } from './greeting';

const provider = (id: string, name: string, operatorDefined: boolean) =>
  providerDefinition.parse({
    id,
    name,
    operatorDefined,
    dialect: 'openai-chat',
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKeyEnv: [],
  });
const model = (id: string, provider: string) =>
  aModel({ id, provider, deployments: [{ id, provider, upstreamModel: id }] });
const openai = provider('openai', 'OpenAI', false);
const llama = provider('llama-cpp', 'llama.cpp', true);

function look(sandbox: boolean, providers: (typeof openai)[]) {
  const models = [model('openai/gpt-5.4-mini', 'openai'), model('llama-cpp/tiny', 'llama-cpp')];
  const live = models.filter((each) => providers.some(({ id }) => id === each.provider));
  return firstLook(
    catalogSnapshot.parse({ revision: 1, sandbox, providers, models, available: live.map(({ id }) => id) }),
  );
}

describe('what a newcomer is told of who answers', () => {
  it('names servers at home as real, without a word of money, and what the sandbox invents beside them', () => {
    const { model: first, isModelSimulated, ...answering } = look(true, [openai, llama]);
    expect([first, isModelSimulated]).toEqual(['llama-cpp/tiny', false]);
    expect(noticeOf(answering, false)).toEqual([
      'Real, your own: llama.cpp.',
      expect.stringMatching(/^Sandbox: .* for the other 1 models \(x-gateway-sandbox: true\)\.$/),
      expect.stringContaining('OPENAI_API_KEY'),
    ]);
  });

  it('says who charges', () => {
    const { model: first, ...answering } = look(false, [openai, llama]);
    expect(first).toBe('openai/gpt-5.4-mini');
    expect(noticeOf(answering, false)).toEqual(['Real, your own: llama.cpp.', 'Real, and charging for it: OpenAI.']);
  });

  it('says that everything is simulated where nothing is real', () => {
    const { model: first, isModelSimulated, ...answering } = look(true, [openai]);
    expect([first, isModelSimulated]).toEqual(['openai/gpt-5.4-mini', true]);
    expect(noticeOf(answering, false)[0]).toContain('for every model');
  });

  it('does not say that no key is set where the sandbox was asked for', () => {
    const { model: _, isModelSimulated, ...answering } = look(true, [openai]);
    expect(isModelSimulated).toBe(true);
    const said = noticeOf(answering, true).join(' ');
    expect(said).toContain('TOLLGATE_SANDBOX is on');
    expect(said).not.toContain('no provider key');
  });

  it('has a line for each server on this machine that is not used', () => {
    const { own, charging, simulated } = look(true, [openai]);
    const found = ['Ollama at http://127.0.0.1:11434/v1 has 1 model', 'vLLM at http://127.0.0.1:8000/v1 has 2 models'];
    const said = greeting({
      ...{ baseUrl: 'http://127.0.0.1:8080', apiKey: 'key', model: 'openai/gpt-5.4-mini', devFile: 'dev.json', found },
      ...{
        answering: { own, charging, simulated },
        isSandboxAsked: false,
        publicUrl: 'http://127.0.0.1:8080',
        bootstrapSecret: 'a-secret',
        hasSdk: false,
      },
    });
    expect(said).toContain('http://127.0.0.1:8080/first-administrator#a-secret');
    expect(said).not.toContain("require('openai')");
    const lines = said.split('\n').map((line) => line.trim());
    for (const server of found) expect(lines.filter((line) => line === `Found: ${server}`)).toHaveLength(1);
  });
});
