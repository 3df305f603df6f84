import { pythonLiteral } from './python-literal';

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
  return [
    { id: 'python', name: 'Python', code: inPython(origin, plain) },
    { id: 'typescript', name: 'TypeScript', code: inTypeScript(origin, plain) },
    { id: 'curl', name: 'curl', code: inCurl(origin, whole) },
    { id: 'go', name: 'Go', code: inGo(origin, whole) },
  ];
}

/** https://github.com/openai/openai-python */
function inPython(origin: string, { model, messages, stream: _, ...rest }: Record<string, unknown>): string {
  const named = Object.entries({ model, messages }).map(([name, value]) => `    ${name}=${pythonLiteral(value, 1)},`);
  // What the SDK has no argument for is sent all the same.
  const more = Object.keys(rest).length > 0 ? [`    extra_body=${pythonLiteral(rest, 1)},`] : [];
  return `import os
from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=os.environ["TOLLGATE_KEY"])
stream = client.chat.completions.create(
${[...named, '    stream=True,', ...more].join('\n')}
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`;
}

/** https://github.com/openai/openai-node */
function inTypeScript(origin: string, body: Record<string, unknown>): string {
  return `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${origin}/v1',
  apiKey: process.env.TOLLGATE_KEY,
});
const stream = await client.chat.completions.create(${JSON.stringify(body, null, 2)});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta?.content ?? '');
}`;
}

function inCurl(origin: string, body: Record<string, unknown>): string {
  const json = JSON.stringify(body, null, 2);
  return `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer $TOLLGATE_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${json.replaceAll("'", "'\\''").replaceAll('\n', '\n  ')}'`;
}

/** With Go's own library. A raw string holds everything but its own quotation mark. */
function inGo(origin: string, body: Record<string, unknown>): string {
  const json = JSON.stringify(body, null, 2).replaceAll('`', '` + "`" + `');
  return `package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

const body = \`${json}\`

func main() {
	request, err := http.NewRequest("POST", "${origin}/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("TOLLGATE_KEY"))
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	// Server-sent events, as they come.
	if _, err := io.Copy(os.Stdout, answer.Body); err != nil {
		log.Fatal(err)
	}
}`;
}

/** A sound is Base64 alone, in `input_audio`; what else is cut begins as a data URL. */
const shortened = (key: string, value: unknown) => {
  const isFile = typeof value === 'string' && value.length > longestImage;
  return isFile && (value.startsWith('data:') || key === 'data') ? `${value.slice(0, longestImage)}...` : value;
};
