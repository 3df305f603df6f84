interface Code {
  id: string;
  name: string;
  code: string;
}

const longestImage = 120;

/** The request of the playground for one's own program. Images are cut: they would bury everything else. */
export function asCode(origin: string, body: Record<string, unknown>): Code[] {
  const json = JSON.stringify(body, shortened, 2);
  const { stream_options: _, ...plain } = body;
  return [
    {
      id: 'curl',
      name: 'curl',
      code: `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer $TOLLGATE_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${json.replaceAll("'", "'\\''").replaceAll('\n', '\n  ')}'`,
    },
    {
      id: 'openai',
      name: 'OpenAI SDK',
      code: `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${origin}/v1',
  apiKey: process.env.TOLLGATE_KEY,
});
const stream = await client.chat.completions.create(${JSON.stringify(plain, shortened, 2)});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta?.content ?? '');
}`,
    },
  ];
}

const shortened = (_key: string, value: unknown) =>
  typeof value === 'string' && value.startsWith('data:') && value.length > longestImage
    ? `${value.slice(0, longestImage)}...`
    : value;
