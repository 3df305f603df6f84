import { z } from 'zod';
import type { Asked, Caller, Surface } from './callers';

const prompt = 'Say which river is the longest.';
const bodies: Record<Surface, object> = {
  '/v1/chat/completions': { messages: [{ role: 'user', content: prompt }] },
  '/v1/messages': { max_tokens: 400, messages: [{ role: 'user', content: prompt }] },
  '/v1/responses': { input: prompt },
};
const chat = z.object({ choices: z.array(z.object({ message: z.object({ content: z.string() }) })) });
const messages = z.object({ content: z.array(z.looseObject({ text: z.string().optional() })) });
const responses = z.object({
  output: z.array(z.looseObject({ content: z.array(z.looseObject({ text: z.string().optional() })).nullish() })),
});
const timeoutMs = 60_000;

/**
 * Asks as a caller of LiteLLM does. Anthropic's clients have their own header for keys. Status 0: nobody
 * answered.
 */
export async function ask(baseUrl: string, caller: Caller): Promise<Asked> {
  const { apiKey, model, surface } = caller;
  const key: Record<string, string> =
    surface === '/v1/messages' ? { 'x-api-key': apiKey } : { authorization: `Bearer ${apiKey}` };
  try {
    const answer = await fetch(`${baseUrl}${surface}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...key },
      body: JSON.stringify({ model, ...bodies[surface] }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const said = await answer.text();
    return { caller, status: answer.status, text: answer.ok ? textOf(surface, said) : null, said: said.slice(0, 600) };
  } catch (error) {
    return { caller, status: 0, text: null, said: String(error) };
  }
}

/** The words of an answer in the form of its surface; null: it has another form, or none. */
export function textOf(surface: Surface, said: string): string | null {
  try {
    const body: unknown = JSON.parse(said);
    if (surface === '/v1/chat/completions') return chat.parse(body).choices[0]?.message.content || null;
    if (surface === '/v1/messages') return joined(messages.parse(body).content);
    return joined(responses.parse(body).output.flatMap(({ content }) => content ?? []));
  } catch {
    return null;
  }
}

function joined(parts: readonly { text?: string | undefined }[]): string | null {
  return parts.map(({ text }) => text ?? '').join('') || null;
}
