import { curlCall, goCall, keyInJavaScript, nodeClient, pythonClient } from './client-code';
import type { Gate } from './client-code';

export interface Snippet {
  id: 'curl' | 'python' | 'openai' | 'go' | 'anthropic' | 'ai-sdk';
  name: string;
  code: string;
}

/** A first request, ready to run. */
export function snippetsFor({ model, ...gate }: Gate & { model: string }): Snippet[] {
  const json = `{
  "model": "${model}",
  "messages": [{"role": "user", "content": "Hello"}]
}`;
  return [
    { id: 'curl', name: 'curl', code: curlCall(gate, json) },
    {
      id: 'python',
      name: 'Python',
      code: `${pythonClient(gate)}
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
    },
    {
      id: 'openai',
      name: 'TypeScript',
      code: `${nodeClient(gate)}
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);`,
    },
    { id: 'go', name: 'Go', code: goCall(gate, json) },
    {
      id: 'anthropic',
      name: 'Anthropic SDK',
      code: `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({
  baseURL: '${gate.origin}',
  apiKey: ${keyInJavaScript(gate)},
});
const answer = await client.messages.create({
  model: '${model}',
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.content);`,
    },
    {
      id: 'ai-sdk',
      name: 'AI SDK',
      code: `import { createOpenAI } from '@ai-sdk/openai';
import { generateText } from 'ai';

const tollgate = createOpenAI({
  baseURL: '${gate.origin}/v1',
  apiKey: ${keyInJavaScript(gate)},
});
const { text } = await generateText({
  model: tollgate.chat('${model}'),
  prompt: 'Hello',
});
console.log(text);`,
    },
  ];
}
