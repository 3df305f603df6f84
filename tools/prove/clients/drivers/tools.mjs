import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const text = { type: 'string' };
const schemaOf = (...names) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text])),
  required: names,
  additionalProperties: false,
});

/** The tools that every library is given. */
export const toolList = [
  { name: 'write_file', description: 'Writes a file', schema: schemaOf('path', 'content') },
  { name: 'edit_file', description: 'Replaces a text in a file', schema: schemaOf('path', 'old', 'new') },
];

/** The form of structured answers. */
export const form = {
  type: 'object',
  properties: { city: text, size: { type: 'integer' } },
  required: ['city', 'size'],
  additionalProperties: false,
};

/** Runs a tool in the folder of this process. */
export function run(name, { path, content, old, new: next }) {
  if (name === 'write_file') writeFileSync(path, content);
  else writeFileSync(path, readFileSync(path, 'utf8').replace(old, next));
  return `${name} is done`;
}

/** What was said in an earlier process. */
export function history({ resumes, memory }) {
  return resumes && existsSync(memory) ? JSON.parse(readFileSync(memory, 'utf8')) : [];
}

export function keep({ memory }, said) {
  writeFileSync(memory, JSON.stringify(said));
}

/** Plays the task of this process and tells its result as the last line. */
export async function play(work) {
  const task = JSON.parse(process.argv[2]);
  const told = await work(task).catch((error) => ({
    text: '',
    error: {
      status: error.status ?? error.statusCode ?? error.lastError?.statusCode ?? null,
      message: `${error.name}: ${error.message}`,
    },
  }));
  console.log(JSON.stringify(told));
}
