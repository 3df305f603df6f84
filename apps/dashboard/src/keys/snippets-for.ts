export interface Snippet {
  id: 'curl' | 'python' | 'openai' | 'anthropic' | 'ai-sdk';
  name: string;
  code: string;
}

const inCode = (apiKey: string) => (apiKey.startsWith('$') ? `process.env.${apiKey.slice(1)}` : `'${apiKey}'`);

const inPython = (apiKey: string) => (apiKey.startsWith('$') ? `os.environ["${apiKey.slice(1)}"]` : `"${apiKey}"`);

/** A first request, ready to run. `apiKey` may name an environment variable: `$NAME`. */
export function snippetsFor({ origin, apiKey, model }: { origin: string; apiKey: string; model: string }): Snippet[] {
  const key = inCode(apiKey);
  return [
    {
      id: 'curl',
      name: 'curl',
      code: `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer ${apiKey}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${model}",
    "messages": [{"role": "user", "content": "Hello"}]
  }'`,
    },
    {
      id: 'python',
      name: 'Python',
      code: `${apiKey.startsWith('$') ? 'import os\n' : ''}from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=${inPython(apiKey)})
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
    },
    {
      id: 'openai',
      name: 'OpenAI SDK',
      code: `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${origin}/v1',
  apiKey: ${key},
});
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);`,
    },
    {
      id: 'anthropic',
      name: 'Anthropic SDK',
      code: `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({
  baseURL: '${origin}',
  apiKey: ${key},
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
  baseURL: '${origin}/v1',
  apiKey: ${key},
});
const { text } = await generateText({
  model: tollgate.chat('${model}'),
  prompt: 'Hello',
});
console.log(text);`,
    },
  ];
}
