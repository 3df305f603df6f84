import type { WhoAnswers } from './first-request';

export interface Greeting {
  baseUrl: string;
  apiKey: string;
  model: string;
  answering: WhoAnswers;
  /** TOLLGATE_SANDBOX=on: keys of providers that are set are not used. */
  isSandboxAsked: boolean;
  /** Servers on this machine that are not used, a line each. */
  found: readonly string[];
  devFile: string;
  /** Where people find the dashboard. */
  publicUrl: string;
  /** What makes the first administrator; null when there is one. */
  bootstrapSecret: string | null;
  /** Whether OpenAI's SDK is installed here: in a checkout, not in a release. */
  hasSdk: boolean;
}

/**
 * What a newcomer reads when everything runs: the address, the key, what answers, and commands to copy.
 */
export function greeting({
  baseUrl,
  apiKey,
  model,
  answering,
  isSandboxAsked,
  found,
  devFile,
  publicUrl,
  bootstrapSecret,
  hasSdk,
}: Greeting): string {
  const notice = [...noticeOf(answering, isSandboxAsked), ...found.map((line) => `Found: ${line}`)].join(
    '\n           ',
  );
  const dashboard =
    bootstrapSecret === null
      ? publicUrl
      : `${publicUrl}/first-administrator#${bootstrapSecret}\n           makes the first administrator: the secret stands behind the #.`;
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] });
  const sdk = hasSdk
    ? `The same with the OpenAI SDK, streamed:

  node -e "const { OpenAI } = require('openai'); const client = new OpenAI({ baseURL: '${baseUrl}/v1', apiKey: '${apiKey}' }); client.chat.completions.create({ model: '${model}', stream: true, messages: [{ role: 'user', content: 'Hello' }] }).then(async (stream) => { for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? ''); console.log(); })"

`
    : '';
  return `
Tollgate runs.

  Address  ${baseUrl}/v1
  Key      ${apiKey}   (beta plan; kept for the next start)
  Models   ${notice}
  Pages    ${dashboard}
  Details  ${devFile}

A first request with curl:

  curl ${baseUrl}/v1/chat/completions -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '${body}'

${sdk}What it used:

  curl ${baseUrl}/v1/usage -H 'Authorization: Bearer ${apiKey}'

Ctrl-C stops everything; the data stay.
`;
}

/** What is real, what charges, and what is invented: a line each. */
export function noticeOf({ own, charging, simulated }: WhoAnswers, isSandboxAsked: boolean): string[] {
  const lines = [
    ...(own.length > 0 ? [`Real, your own: ${own.join(', ')}.`] : []),
    ...(charging.length > 0 ? [`Real, and charging for it: ${charging.join(', ')}.`] : []),
  ];
  if (simulated === 0) return lines;
  const which = own.length > 0 ? `the other ${simulated} models` : 'every model';
  const why = isSandboxAsked ? 'TOLLGATE_SANDBOX is on' : 'no provider key is set';
  return [
    ...lines,
    `Sandbox: ${why}, so simulated providers answer for ${which} (x-gateway-sandbox: true).`,
    isSandboxAsked
      ? 'Unset it, here or in .env, and start again for the real ones, with OPENAI_API_KEY or the like.'
      : 'Set OPENAI_API_KEY or the like, here or in .env, and start again for the real ones.',
  ];
}
