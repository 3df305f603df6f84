export interface Greeting {
  baseUrl: string;
  apiKey: string;
  model: string;
  sandbox: boolean;
  devFile: string;
  /** Where people find the dashboard. */
  publicUrl: string;
  /** What makes the first administrator; null when there is one. */
  bootstrapSecret: string | null;
}

/** What a newcomer reads when everything runs: the address, the key, what answers, and three commands to copy. */
export function greeting({ baseUrl, apiKey, model, sandbox, devFile, publicUrl, bootstrapSecret }: Greeting): string {
  const notice = sandbox
    ? 'Sandbox: no provider key is set, so simulated providers answer for every model (x-gateway-sandbox: true).\n' +
      '           Set OPENAI_API_KEY or the like, here or in .env, and start again for the real ones.'
    : 'Real providers answer, and charge for it.';
  const dashboard =
    bootstrapSecret === null
      ? publicUrl
      : `${publicUrl}/first-administrator makes the first administrator, with this secret:\n           ${bootstrapSecret}`;
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] });
  return `
Tollgate runs.

  Address  ${baseUrl}/v1
  Key      ${apiKey}   (beta plan; kept for the next start)
  Models   ${notice}
  Pages    ${dashboard}
  Details  ${devFile}

A first request with curl:

  curl ${baseUrl}/v1/chat/completions -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '${body}'

The same with the OpenAI SDK, streamed:

  node -e "const { OpenAI } = require('openai'); const client = new OpenAI({ baseURL: '${baseUrl}/v1', apiKey: '${apiKey}' }); client.chat.completions.create({ model: '${model}', stream: true, messages: [{ role: 'user', content: 'Hello' }] }).then(async (stream) => { for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? ''); console.log(); })"

What it used:

  curl ${baseUrl}/v1/usage -H 'Authorization: Bearer ${apiKey}'

Ctrl-C stops everything; the data stay.
`;
}
