/** Where a program asks, and with which key: the key itself, or the variable that holds it as `$NAME`. */
export interface Gate {
  origin: string;
  apiKey: string;
}

/** The name of the variable that holds the key; null: the key itself is written down. */
const variableOf = ({ apiKey }: Gate): string | null => (apiKey.startsWith('$') ? apiKey.slice(1) : null);

/** https://github.com/openai/openai-python */
export function pythonClient(gate: Gate): string {
  const name = variableOf(gate);
  const key = name === null ? `"${gate.apiKey}"` : `os.environ["${name}"]`;
  return `${name === null ? '' : 'import os\n'}from openai import OpenAI

client = OpenAI(base_url="${gate.origin}/v1", api_key=${key})`;
}

/** The key in JavaScript. */
export const keyInJavaScript = (gate: Gate): string => {
  const name = variableOf(gate);
  return name === null ? `'${gate.apiKey}'` : `process.env.${name}`;
};

/** https://github.com/openai/openai-node */
export const nodeClient = (gate: Gate): string => `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${gate.origin}/v1',
  apiKey: ${keyInJavaScript(gate)},
});`;

export const curlCall = ({ origin, apiKey }: Gate, json: string): string => `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer ${apiKey}" \\
  -H "Content-Type: application/json" \\
  -d '${json.replaceAll("'", "'\\''").replaceAll('\n', '\n  ')}'`;

/** With Go's own library. A raw string holds everything but its own quotation mark. */
export function goCall(gate: Gate, json: string): string {
  const name = variableOf(gate);
  const authorization = name === null ? `"Bearer ${gate.apiKey}"` : `"Bearer "+os.Getenv("${name}")`;
  return `package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

const body = \`${json.replaceAll('`', '` + "`" + `')}\`

func main() {
	request, err := http.NewRequest("POST", "${gate.origin}/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", ${authorization})
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	// As it comes, also where it is streamed.
	if _, err := io.Copy(os.Stdout, answer.Body); err != nil {
		log.Fatal(err)
	}
}`;
}
