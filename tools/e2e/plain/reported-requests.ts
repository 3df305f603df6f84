import type { TestStack } from '../test-stack';

const hello = { role: 'user', content: 'Hello.' };
/** An answer as OpenAI's clients send back what another model said. */
const said = {
  ...{ role: 'assistant', content: 'Hello to you.', refusal: null, annotations: [], audio: null },
  ...{ reasoning_details: [], provider_specific_fields: {} },
  // Of Gradio's chats: https://github.com/ed-donner/llm_engineering/issues/1130
  ...{ metadata: { title: null }, options: null },
};
/** What agents and libraries say to OpenAI in every request. */
const toOpenai = { store: false, prompt_cache_key: 'session', verbosity: 'low', safety_identifier: 'me' };

/** Requests as public reports tell of them, to the models at which others' gateways failed. */
export function reportedRequests(shared: () => TestStack): void {
  let apiKey: string;

  const ask = async (path: string, body: object): Promise<{ status: number; told: string; body: string }> => {
    const answer = await fetch(`${shared().stack.baseUrl}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const told = answer.headers.get('x-gateway-warnings') ?? '';
    return { status: answer.status, told, body: await answer.text() };
  };

  beforeAll(async () => {
    const made = await shared().stack.createKey({ name: 'reports', plan: 'enterprise', rpm: null, quotaTokens: null });
    apiKey = made.apiKey;
  });

  const closed = ['cerebras/gpt-oss-120b', 'fireworks/gpt-oss-120b', 'groq/gpt-oss-120b'];

  // https://github.com/livekit/agents/issues/1274 https://github.com/Gitlawb/openclaude/issues/740
  // https://github.com/sipeed/picoclaw/pull/1196 https://github.com/FlowiseAI/Flowise/issues/2866
  it.each(closed)("what is OpenAI's alone is not said to %s", async (model) => {
    const { status, told } = await ask('chat/completions', { model, messages: [hello], ...toOpenai });
    expect([status, told]).toEqual([200, expect.stringContaining('verbosity was dropped')]);
  });

  // https://github.com/BerriAI/litellm/pull/20334 https://github.com/Kilo-Org/kilocode/issues/10375
  it.each(closed)("a conversation with other makers' models goes on at %s", async (model) => {
    const marked = { role: 'user', content: [{ type: 'text', text: 'Go on.', cache_control: { type: 'ephemeral' } }] };
    const { status, told } = await ask('chat/completions', { model, messages: [hello, said, marked] });
    expect([status, told]).toEqual([200, expect.stringContaining('cache_control of messages was dropped')]);
  });

  // https://github.com/livekit/agents/issues/1274
  it.each([...closed, 'deepseek/deepseek-v4-pro', 'mistral/mistral-large-4'])(
    'labels of a response are no matter of %s',
    async (model) => {
      const answer = await ask('responses', { model, input: 'Hello.', metadata: { session: 'a' } });
      expect([answer.status, JSON.parse(answer.body)]).toEqual([
        200,
        expect.objectContaining({ metadata: { session: 'a' } }),
      ]);
    },
  );

  // https://github.com/Warma10032/VideoAdGuard/issues/34
  // https://github.com/XCNXNXNX/dsh-portable-tavern/issues/1
  it.each(['moonshot/kimi-k3', 'moonshot/kimi-k2.6', 'moonshot/kimi-k2.5'])(
    'how it is to be sampled is not said to %s, which has one way',
    async (model) => {
      const { status, told } = await ask('chat/completions', {
        model,
        messages: [hello],
        temperature: 0.2,
        top_p: 0.9,
      });
      expect([status, told]).toEqual([200, expect.stringContaining('temperature was dropped')]);
    },
  );

  // https://github.com/anthropics/claude-code/issues/50082
  // https://github.com/anthropics/claude-code/issues/54421
  it.each(['anthropic/claude-sonnet-5-5', 'vertex-anthropic/claude-sonnet-5', 'bedrock/anthropic.claude-sonnet-5'])(
    'a text of nothing, as Claude Code has sent it, ends no session with %s',
    async (model) => {
      const nothing = { type: 'text', text: '', cache_control: { type: 'ephemeral' } };
      const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hello.' }, nothing] }];
      const { status } = await ask('messages', { model, max_tokens: 99, system: [nothing], messages });
      expect(status).toBe(200);
    },
  );
}
