import { curlCall, goCall, nodeClient, pythonClient } from '../keys/client-code';
import type { Gate } from '../keys/client-code';

const step = '    ';

interface Code {
  id: string;
  name: string;
  code: string;
}

const longestImage = 120;

/** The request of the playground for one's own program. Files are cut: they would bury everything else. */
export function asCode(origin: string, body: Record<string, unknown>): Code[] {
  // Undefined members are left out, as in the request.
  const whole = JSON.parse(JSON.stringify(body, shortened)) as Record<string, unknown>;
  const { stream_options: _, ...plain } = whole;
  const gate = { origin, apiKey: '$TOLLGATE_KEY' };
  const json = JSON.stringify(whole, null, 2);
  return [
    { id: 'python', name: 'Python', code: inPython(gate, plain) },
    { id: 'typescript', name: 'TypeScript', code: inTypeScript(gate, plain) },
    { id: 'curl', name: 'curl', code: curlCall(gate, json) },
    { id: 'go', name: 'Go', code: goCall(gate, json) },
  ];
}

function inPython(gate: Gate, { model, messages, stream: _, ...rest }: Record<string, unknown>): string {
  const named = Object.entries({ model, messages }).map(([name, value]) => `    ${name}=${pythonLiteral(value, 1)},`);
  // What the SDK has no argument for is sent all the same.
  const more = Object.keys(rest).length > 0 ? [`    extra_body=${pythonLiteral(rest, 1)},`] : [];
  return `${pythonClient(gate)}
stream = client.chat.completions.create(
${[...named, '    stream=True,', ...more].join('\n')}
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`;
}

function inTypeScript(gate: Gate, body: Record<string, unknown>): string {
  return `${nodeClient(gate)}
const stream = await client.chat.completions.create(${JSON.stringify(body, null, 2)});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta?.content ?? '');
}`;
}

/** A sound is Base64 alone, in `input_audio`; what else is cut begins as a data URL. */
const shortened = (key: string, value: unknown) => {
  const isFile = typeof value === 'string' && value.length > longestImage;
  return isFile && (value.startsWith('data:') || key === 'data') ? `${value.slice(0, longestImage)}...` : value;
};

/** A JSON value as Python writes it, at a depth of indentation. A string is one in both languages. */
export function pythonLiteral(value: unknown, depth = 0): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value))
    return lines(
      '[',
      value.map((item: unknown) => pythonLiteral(item, depth + 1)),
      ']',
      depth,
    );
  if (typeof value === 'object')
    return lines(
      '{',
      Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${pythonLiteral(member, depth + 1)}`),
      '}',
      depth,
    );
  return JSON.stringify(value);
}

function lines(open: string, items: string[], close: string, depth: number): string {
  if (items.length === 0) return open + close;
  const indent = step.repeat(depth + 1);
  return `${open}\n${items.map((item) => `${indent}${item},\n`).join('')}${step.repeat(depth)}${close}`;
}
