import { RunningSandbox } from '../testing/running-sandbox.fixture';

let sandbox: RunningSandbox;
beforeAll(async () => (sandbox = await RunningSandbox.start()));
afterAll(() => sandbox.close());

const picture = {
  role: 'user',
  content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
};
const said = { role: 'assistant', content: 'A gate.' };
const hello = { role: 'user', content: 'Hello' };

function asked(model: string, messages: object[]): Promise<Response> {
  return sandbox.post('/openai-chat/chat/completions', { model, messages });
}

describe('a picture', () => {
  const unknown = 'messages[0]: unknown variant `image_url`, expected `text`';

  it.each([
    ['deepseek-v4-pro', [picture], unknown],
    ['deepseek-v4-flash', [picture, said, hello], unknown],
    ['glm-5.2', [picture], "取值范围 ['text']"],
    ['glm-5-turbo', [picture, said, hello], "取值范围 ['text']"],
  ])('is refused in any turn by %s', async (model, messages, words) => {
    const answer = await asked(model, messages);
    expect({ status: answer.status, told: await answer.text() }).toEqual({
      status: 400,
      told: expect.stringContaining(words),
    });
  });

  it.each(['deepseek-flash', 'glm-4.6v', 'glm-5v-turbo', 'glm-5.3-flash'])('is taken by %s', async (model) => {
    expect((await asked(model, [picture])).status).toBe(200);
  });
});
