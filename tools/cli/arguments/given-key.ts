import { providerKey } from '@tollgate/contracts/catalog';
import { Writable } from 'node:stream';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { exitCodes, Refusal } from '../failure';

/** Nothing of what is typed is shown. */
const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });

/**
 * A key of a provider, typed unseen after a question, or as it comes in: never on the command line, which
 * others of the machine see.
 * @throws Refusal where it is none; the words do not hold it.
 */
export async function readGivenKey(question: string): Promise<string> {
  const typed = process.stdin.isTTY ? await askUnseen(question) : await text(process.stdin);
  const { data } = providerKey.safeParse(typed);
  if (data !== undefined) return data;
  throw new Refusal(
    'A key is one word of visible ASCII characters, typed or given on standard input.',
    exitCodes.usage,
  );
}

async function askUnseen(question: string): Promise<string> {
  process.stderr.write(question);
  const asking = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await asking.question('');
  } finally {
    asking.close();
    process.stderr.write('\n');
  }
}
