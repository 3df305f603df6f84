import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../../stack/workspace-root';
import { cellsIn, packageOf, tableText, writePage } from '../write-page';
import type { Client } from './client';
import { clients } from './clients';
import { failures } from './clients-report';
import { modelNames } from './models';
import type { Row } from './prove-clients';

const file = join(workspaceRoot, 'docs/clients.md');
const introduction = `# Clients

Programs and libraries of others, unmodified: only their address and key are set. Each is installed from its registry and asked, with a model of each dialect that providers speak and with DeepSeek, to do what it can of
this: write and edit a file by tools, two calls at once, five turns of tools with reasoning, an image, structured output, a conversation resumed in a new process, the model switched in mid-conversation, a stream cancelled,
a wrong key, a used-up quota, and counting tokens. A cell holds when the client ended well, the files are on the disk, no request was refused or sent again, the picture was in a request, a cancelled answer had begun and was
left, and tokens and cost are equal among the client, the (simulated, strict) provider's books, \`/v1/usage\`, \`/api/metrics\` and the ledger.

Exceptions:

- Codex sends a request with a wrong key again by itself ("Reconnecting"), whatever it is told. When a quota is used up, Continue asks ten times more, opencode and Cline five times, pi three times, the AI SDK twice (\`maxRetries\`), and Aider for a minute ("Retrying in") (Qwen Code asks six times more, and all of that ten times over unless its \`maxRetries\` is 0, as here). That is no
  failure of the cell; that it does not end would be one. Codex, opencode and Qwen Code would sleep for as long as they are told, for days too, so that none is told a \`Retry-After\` beyond 60 s.
- A client that tells no usage is not compared with the books; its requests are.
- Where the gateway estimates (a cancelled answer, a provider that does not count), input and output may each differ by 24 tokens or by a tenth, whichever is more.
- The model's thoughts are looked for in later requests of the clients that are marked so below. For the others the cells with reasoning say that the turns of tools end well, not that thoughts come back; some of them do not even
  ask for reasoning.
- Of agents any picture in a request counts, as they may write it anew; of libraries only the very same.
- Aider has no tools: it edits files by what the answer says, all of it in one.

\`npm run prove -- clients\` plays it (\`--only codex\`, \`--models gemini\`, \`--cells resume\`, \`--latest\` for the newest versions). \`--write\` writes what was played into this page, all cells of a column at once. It needs npm,
PyPI and Go with its proxy of modules, and keeps what it installs in \`~/.cache/tollgate-clients\` (\`$XDG_CACHE_HOME/tollgate-clients\`), which may be deleted at any time; a client that cannot be had is told absent: that is no pass, and its row stays as it was. The same libraries that \`package.json\` has run on every dialect in \`npm test\`.

"Played" is the day of the last column that was played, "Books" how many sums over all of it differ (\`/v1/usage\`, \`/api/metrics\`); a dash was not played.
`;
const setupHeading = '## How each is set up';
const head = ['Client', 'Package', 'Played', ...modelNames, 'Books'];

/**
 * Writes the columns that were played over those of docs/clients.md. Others stay as they are, unless they are
 * of another version; so does the row of a client that is absent.
 */
export async function writeClientsPage(row: Row): Promise<void> {
  const pageBefore = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const before = tableRows(pageBefore);
  const table = clients.map((client) => {
    const old = before.find(({ Client, Package }) => Client === client.name && Package === shownPackage(client));
    const isPlayed = row.client.id === client.id && row.absent === null;
    const cells = { ...blank(client), ...old, ...(isPlayed && played(row)) };
    return head.map((name) => cells[name] ?? '-');
  });
  const setup = clients.map(({ name, setup: text, returnsThoughts }) => {
    const thoughts = returnsThoughts ? '. Thoughts are looked for' : '';
    return `- **${name}**: ${text}${thoughts}`;
  });
  const page = [introduction, tableText([head, ...table]), '', ...sectionsOf(pageBefore), setupHeading, '', ...setup];
  await writePage(file, page.join('\n'));
}

/** The sections between table and settings, which people wrote. */
function sectionsOf(page: string): string[] {
  const [, ...sections] = page.split(/^(?=## )/m);
  const end = sections.findIndex((section) => section.startsWith(setupHeading));
  return sections.slice(0, Math.max(end, 0)).map((section) => `${section.trimEnd()}\n`);
}

/** Cells of a line by the names of their columns. */
type Line = Record<string, string>;

/** A module of Go by its own name: the column is as wide as its longest. */
function shownPackage({ packages }: Client): string {
  return packageOf({ packages: packages.map((each) => each.replace(/^github\.com\/[^/]+\//, '')) });
}

function blank(client: Client): Line {
  return { Client: client.name, Package: shownPackage(client), Played: 'not played yet' };
}

function played(row: Row): Line {
  const wrong = row.wrongSums.length;
  const columns = modelNames
    .filter((model) => row.columns.has(model))
    .map((model) => [model, resultOf(row, model)] as const);
  const day = new Date().toISOString().slice(0, 10);
  const results: Line = Object.fromEntries(columns);
  return { Played: day, Books: wrong === 0 ? 'equal' : `${wrong} differ`, ...results };
}

/** `9/10: image`: how many cells hold, and which do not. */
function resultOf({ columns }: Row, model: string): string {
  const column = columns.get(model);
  if (!column) return '-';
  const wrong = failures(column);
  return `${column.size - wrong.length}/${column.size}${wrong.length > 0 ? `: ${wrong.join(', ')}` : ''}`;
}

function tableRows(page: string): Line[] {
  const [names = [], , ...lines] = cellsIn(page);
  return lines.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '-'])));
}
