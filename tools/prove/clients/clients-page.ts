import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../../stack/workspace-root';
import { failures } from './clients-report';
import { modelNames } from './models';
import type { Row } from './prove-clients';

const file = join(workspaceRoot, 'docs/clients.md');
const introduction = `# Clients

Programs and libraries of others, unmodified: only their address and key are set. Each is installed from its registry and asked, with a model of each dialect that providers speak and with DeepSeek, to do what it can of
this: write and edit a file by tools, two calls at once, five turns of tools with reasoning, an image, structured output, a conversation resumed in a new process, the model switched in mid-conversation, a stream cancelled,
a wrong key, a used-up quota, and counting tokens. A cell holds when the client ended well, the files are on the disk, no request was refused or sent again, and tokens and cost are equal among the client, the
(simulated, strict) provider's books, \`/v1/usage\`, \`/api/metrics\` and the ledger.

\`npm run prove -- clients\` plays it (\`--only codex\`, \`--models gemini\`, \`--cells resume\`, \`--latest\` for the newest versions; \`--write\` writes this page's rows). It needs npm and PyPI; a client that cannot be had is told
absent, and that is no pass. The same libraries that \`package.json\` has run on every dialect in \`npm test\`.
`;
const head = ['Client', 'Package', 'Played', ...modelNames];

/** Writes the rows that were played over those of docs/clients.md; others stay as they are. */
export async function writePage(rows: readonly Row[]): Promise<void> {
  const before = existsSync(file) ? tableRows(readFileSync(file, 'utf8')) : [];
  const table = new Map(before.map((cells) => [cells[0] ?? '', cells]));
  const setups = new Map(existsSync(file) ? setupLines(readFileSync(file, 'utf8')) : []);
  for (const row of rows) {
    const { client, absent } = row;
    const results = modelNames.map((model) => (absent === null ? resultOf(row, model) : 'absent'));
    table.set(client.name, [
      client.name,
      `\`${client.packages[0]}\``,
      new Date().toISOString().slice(0, 10),
      ...results,
    ]);
    setups.set(client.name, client.setup);
  }
  const lines = [head, head.map(() => '---'), ...table.values()].map((cells) => `| ${cells.join(' | ')} |`);
  const setup = [...setups].map(([name, text]) => `- **${name}**: ${text}`);
  const page = [introduction, lines.join('\n'), '\n## How each is set up\n', setup.join('\n')].join('\n');
  // Loaded when it is needed: it is a module that Jest cannot take.
  const { format } = await import('prettier');
  writeFileSync(file, await format(page, { parser: 'markdown', proseWrap: 'preserve' }));
}

/** `9/10: image`: how many cells hold, and which do not. A dash: not played. */
function resultOf({ columns }: Row, model: string): string {
  const column = columns.get(model);
  if (!column) return '-';
  const wrong = failures(column);
  return `${column.size - wrong.length}/${column.size}${wrong.length > 0 ? `: ${wrong.join(', ')}` : ''}`;
}

function tableRows(page: string): string[][] {
  const lines = page.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function setupLines(page: string): [string, string][] {
  return [...page.matchAll(/^- \*\*(.+?)\*\*: (.+)$/gm)].map(([, name = '', text = '']) => [name, text]);
}
