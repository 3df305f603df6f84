import type { CatalogModel } from '@tollgate/contracts/catalog';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answersOf, promptOf, remembered } from './cells';
import type { Act, Cell } from './cells';
import type { Client, Site, Task, Told, Usage } from './client';
import { isGeneration } from './door';
import type { Door, Visit } from './door';
import { runCommand } from './run-command';
import type { Ended } from './run-command';

/** 32 by 32 pixels of red. */
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAKklEQVR42mM4YaNBU8QwasGoBaMWjFowasGoBaMWjFowasGoBaMWDBULADahsD1yPRQZAAAAAElFTkSuQmCC';

/** An agent may make the picture smaller or write it anew. */
const anyPicture = /(?:data:image\/\w+;base64,|"data":\s*")[\w+/]{40}/;
/**
 * A thought of the model that a client sends back, as it stands in chat completions, messages and responses,
 * or the name of the response that it is in.
 */
const thought =
  /"(?:type":\s*"(?:redacted_)?thinking"|(?:reasoning_content|encrypted_content|previous_response_id)":\s*")/;
const nothing: Usage = { input: 0, output: 0 };
/** How long answers may take to end when their client has ended. */
const settlingMs = 5_000;

/** What the cells of a run share. */
export interface Ground {
  door: Door;
  installed: string;
  node: string;
  keys: Record<Cell['key'], string>;
  /** What a client wrote stays for a look. */
  keep: boolean;
}

/** A cell that was played. */
export interface Played {
  visits: Visit[];
  /** A sentence each. */
  problems: string[];
  /** What the client says that it used; null: it does not tell, or left. */
  usage: Usage | null;
}

/** Plays one cell of a client on a model, and judges what the client did and what came through the door. */
export async function playCell(
  client: Client,
  cell: Cell,
  models: readonly [CatalogModel, CatalogModel],
  ground: Ground,
): Promise<Played> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-client-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  let isKept = false;
  try {
    const played = await playIn(folder, client, cell, models, ground);
    isKept = ground.keep && played.problems.length > 0;
    if (isKept) {
      writeFileSync(join(folder, 'visits.json'), JSON.stringify(played, null, 2));
      played.problems.push(`kept in ${folder}`);
    }
    return played;
  } finally {
    process.off('exit', remove);
    if (!isKept) remove();
  }
}

async function playIn(
  folder: string,
  client: Client,
  cell: Cell,
  models: readonly [CatalogModel, CatalogModel],
  ground: Ground,
): Promise<Played> {
  const site: Site = {
    installed: ground.installed,
    node: ground.node,
    work: join(folder, 'work'),
    home: join(folder, 'home'),
  };
  for (const each of [site.work, site.home]) mkdirSync(each);
  writeFileSync(join(site.work, 'picture.png'), Buffer.from(picture, 'base64'));
  const played: Played = { visits: [], problems: [], usage: cell.name === 'cancel' ? null : nothing };
  const acts = cell.acts(client.calls, (file) => (client.namesWholePaths ? join(site.work, file) : file));
  for (const act of acts) {
    const model = models[act.wishes.switches ? 1 : 0];
    await playAct(client, act, { cell, model, site, ground, picture: join(site.work, 'picture.png') }, played);
    if (played.problems.length > 0) break;
  }
  for (const [file, text] of Object.entries(cell.files)) {
    const path = join(site.work, file);
    const found = existsSync(path) ? readFileSync(path, 'utf8') : null;
    if (found?.trimEnd() !== text.trimEnd()) played.problems.push(`${file} holds ${JSON.stringify(found)}`);
  }
  return played;
}

interface Scene {
  cell: Cell;
  model: CatalogModel;
  site: Site;
  ground: Ground;
  picture: string;
}

async function playAct(client: Client, act: Act, scene: Scene, played: Played): Promise<void> {
  const { cell, site, ground } = scene;
  const task = taskOf(act, scene);
  const from = ground.door.visits.length;
  const ended = await runCommand(client.command(task, site), site, (interrupt) => {
    ground.door.onText = task.leaves && !client.leavesByItself ? interrupt : null;
  });
  ground.door.onText = null;
  await ground.door.quiet(settlingMs);
  const visits = ground.door.visits.slice(from);
  const told = toldBy(client, ended);
  played.visits.push(...visits);
  const earlier = task.resumes && client.tellsWholeUsage ? nothing : played.usage;
  played.usage =
    told.usage && earlier
      ? { input: earlier.input + told.usage.input, output: earlier.output + told.usage.output }
      : null;
  const problems = [
    ...(ended.isOverdue ? ['it did not end'] : []),
    ...ofRequests(visits, cell, client),
    ...ofBodies(
      visits.filter((visit) => isGeneration(visit) || visit.method === 'PREPARE'),
      act,
      client,
      scene.model,
    ),
    ...(task.leaves
      ? ofLeaving(visits)
      : cell.key === 'good'
        ? ofAnswer(told, act)
        : ofRefusal(told, visits, cell, client)),
  ];
  if (cell.key === 'good' && client.isExact && visits.length !== answersOf(act))
    problems.push(`${visits.length} requests for ${answersOf(act)} answers`);
  if (problems.length > 0 && ground.keep)
    writeFileSync(join(site.home, 'said.txt'), `${ended.exitCode}\n${ended.output}\n--\n${ended.problems}`);
  played.problems.push(...problems);
}

function taskOf(act: Act, { cell, model, ground, picture: image }: Scene): Task {
  const { sees, tools, reasons, structured, resumes, leaves, counts } = act.wishes;
  return {
    baseUrl: ground.door.url,
    apiKey: ground.keys[cell.key],
    model: model.id,
    prompt: promptOf(act),
    image: sees ? image : null,
    tools: tools ?? false,
    reasons: reasons ?? false,
    structured: structured ?? false,
    resumes: resumes ?? false,
    leaves: leaves ?? false,
    counts: counts ?? false,
  };
}

function toldBy(client: Client, { output, problems, exitCode }: Ended): Told {
  try {
    return client.read(output, exitCode);
  } catch {
    return { text: '', error: { status: null, message: `${output.slice(-300)} ${problems.slice(-600)}`.trim() } };
  }
}

/** What the requests of an act should hold and do not. */
function ofBodies(
  visits: readonly Visit[],
  { wishes }: Act,
  { isExact, returnsThoughts }: Client,
  { capabilities }: CatalogModel,
): string[] {
  const isThere = (form: RegExp | string) =>
    visits.some(({ body }) => (typeof form === 'string' ? body.includes(form) : form.test(body)));
  const thinks = wishes.reasons && returnsThoughts && capabilities.reasoning;
  return [
    ...(visits.some(isGeneration) ? [] : ['no request for an answer came']),
    ...(wishes.resumes && !isThere(remembered) ? ['what was said before is not in the request'] : []),
    ...(wishes.sees && !isThere(isExact ? picture : anyPicture) ? ['no request has the picture'] : []),
    ...(thinks && !isThere(thought) ? ['no request has the thoughts of before'] : []),
  ];
}

/** Whoever is to leave must have had the beginning of an answer and not its end. */
function ofLeaving(visits: readonly Visit[]): string[] {
  return visits.some(({ hasText, isCut }) => hasText && isCut) ? [] : ['it did not leave an answer that had begun'];
}

/**
 * What came through the door that should not have: requests that were sent again, and refusals that the cell
 * does not want.
 */
function ofRequests(visits: readonly Visit[], { key, name }: Cell, { insists }: Client): string[] {
  const generations = visits.filter(isGeneration);
  const again = generations.length - new Set(generations.map(({ fingerprint }) => fingerprint)).size;
  const retried = generations.filter(({ retries }) => retries > 0).length;
  const refused = key === 'good' ? generations.filter(({ status }) => status >= 400) : [];
  return [
    ...(again + retried > 0 && !insists?.includes(name) ? [`${Math.max(again, retried)} silent retries`] : []),
    ...refused.map(({ path, status, refusal }) => `${path} was answered ${status} ${refusal.slice(0, 300)}`),
  ];
}

function ofAnswer({ text, data, counted, usage, error }: Told, { wishes }: Act): string[] {
  if (error) return [`it failed: ${error.message.slice(0, 500)}`];
  const problems = text.trim() === '' ? ['no answer'] : [];
  if (wishes.structured && !isForm(data)) problems.push(`no form: ${JSON.stringify(data)}`);
  if (wishes.counts && !(counted && usage && isNear(counted, usage.input)))
    problems.push(`${counted} tokens were counted, ${usage?.input} were used`);
  return problems;
}

/**
 * Where a provider does not tell, the gateway estimates; and each simulated provider counts the JSON of its
 * own format, some tokens a message.
 */
export function isNear(estimate: number, count: number): boolean {
  return Math.abs(estimate - count) <= Math.max(24, count / 10);
}

const refusals = { wrong: 401, spent: 429 };

function ofRefusal({ error }: Told, visits: readonly Visit[], cell: Cell, { isExact, insists }: Client): string[] {
  const { key, name } = cell;
  if (key === 'good') return [];
  const status = refusals[key];
  const generations = visits.filter(isGeneration);
  return [
    ...(error ? [] : ['it did not tell that it was refused']),
    ...(typeof error?.status === 'number' && error.status !== status ? [`it tells ${error.status}`] : []),
    ...(isExact && generations.length > 1 && !insists?.includes(name)
      ? [`${generations.length} requests after a refusal`]
      : []),
    ...generations.filter((visit) => visit.status !== status).map((visit) => `the gateway answered ${visit.status}`),
  ];
}

function isForm(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'city' in data && 'size' in data && typeof data.city === 'string';
}
