import { fromCustomTool } from '../canonical/custom-tool';
import type { ToolDefinition } from '../canonical/generation-request';
import { invalid, RequestFields } from '../canonical/request-fields';
import { readDomains, readLocation, type WebSearch } from '../canonical/web-search';
import { isRecord } from '../wire/json-value';
import { bringsTools, flatName, requiredName, searchName } from './caller-tools';
import { fromClientTool, isClientTool } from './client-tools';

/** The types of a search of the web. https://platform.openai.com/docs/guides/tools-web-search */
export const searches = /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/;

/** `lost` tells what was left out, in whole sentences for the caller. */
interface ReadTools {
  tools: ToolDefinition[] | undefined;
  webSearch?: WebSearch;
  codeExecution?: true;
  lost: string[];
}

/**
 * Reads `tools` and those that items of the input bring: other models have all of them from the beginning.
 * Those in a namespace stand beside the others under one name.
 * One that is brought again takes the place of the earlier one. Clients offer a search of the web and the
 * making of images to every model unasked: where other tools stand beside them, a model can do without.
 * @throws GatewayError 400 for tools that run at OpenAI and cannot be left out.
 */
export function fromTools(fields: RequestFields, unread: string[]): ReadTools {
  const listed = listedTools(fields);
  if (listed.length === 0) return { tools: fields.list('tools') && [], lost: [] };
  const lost: string[] = [];
  const all: { tool: ToolDefinition; order: number }[] = [];
  let search: WebSearch | null = null;
  let runsCode = false;
  // By name, which of those listed was the last that an item brought: it takes the place of all before it.
  const broughtLast = new Map<string, number>();
  for (const [order, { at, tool, isBrought }] of listed.entries()) {
    const nested = RequestFields.of(tool, at);
    const type = nested.requiredText('type');
    const wanted = searches.test(type) ? fromSearchOfWeb(nested, unread) : null;
    search = wanted ?? search;
    const isCode = type === 'code_interpreter' && isFreshMachine(nested);
    runsCode ||= isCode;
    const read = wanted || isCode ? [] : fromTool(nested, unread);
    if (read !== null) nested.finish(unread);
    else lost.push(`${at} (${type}) was dropped: it runs at OpenAI only`);
    for (const definition of read ?? []) {
      all.push({ tool: definition, order });
      if (isBrought) broughtLast.set(definition.name, order);
    }
  }
  const tools = all.flatMap(({ tool, order }) => (order < (broughtLast.get(tool.name) ?? 0) ? [] : [tool]));
  if (tools.length === 0 && search === null && !runsCode && lost.length > 0)
    throw invalid('tools', `cannot hold only tools that run at OpenAI (${typesOf(listed)}) with this model`);
  return {
    tools,
    ...(search && { webSearch: { ...search, isDispensable: tools.length > 0 } }),
    ...(runsCode && { codeExecution: true }),
    lost,
  };
}

/** `at`: its path in the body. `isBrought`: by an item of the input. */
interface ListedTool {
  at: string;
  isBrought: boolean;
  tool: unknown;
}

function listedTools(fields: RequestFields): ListedTool[] {
  const input = fields.raw('input');
  const items = (Array.isArray(input) ? (input as unknown[]) : []).flatMap((item, index) =>
    isRecord(item) && bringsTools(item) ? [RequestFields.of(item, `input[${index}]`)] : [],
  );
  return [fields, ...items].flatMap((from) =>
    (from.list('tools') ?? []).map((tool, index) => ({
      at: `${from.path('tools')}[${index}]`,
      isBrought: from !== fields,
      tool,
    })),
  );
}

function typesOf(listed: readonly ListedTool[]): string {
  return listed.flatMap(({ tool }) => (isRecord(tool) ? [String(tool.type)] : [])).join(', ');
}

/** Null for a tool that is left out. */
function fromTool(fields: RequestFields, unread: string[]): ToolDefinition[] | null {
  const type = fields.requiredText('type');
  if (type === 'namespace') return fromNamespace(fields, unread);
  if (type === 'function' || type === 'custom') return [fromOwnTool(type, fields, null, unread)];
  if (type === 'tool_search') return fromSearch(fields);
  if (isClientTool(type)) return [fromClientTool(type, fields, unread)];
  if (type === 'image_generation' || searches.test(type)) return null;
  throw invalid(
    fields.path('type'),
    `has the value '${type}', a tool that only OpenAI's own models have. Use a model of OpenAI, or a function of your own`,
  );
}

/**
 * True where programs run in a new machine without files, which every provider that runs some has.
 * https://platform.openai.com/docs/guides/tools-code-interpreter
 * @throws GatewayError 400 for a machine or files that OpenAI keeps.
 */
function isFreshMachine(fields: RequestFields): true {
  const container = fields.nested('container');
  const files = container?.list('file_ids') ?? [];
  container?.ignore('type', 'memory_limit');
  if (files.length > 0 || container?.text('type') !== 'auto')
    throw invalid(
      fields.path('container'),
      "must be { type: 'auto' } without files: other models cannot reach OpenAI's",
    );
  return true;
}

/** Null for one that must not leave OpenAI's own copy of the web: nobody else has one. */
function fromSearchOfWeb(fields: RequestFields, unread: string[]): WebSearch | null {
  if (fields.raw('external_web_access') === false) return null;
  const filters = fields.nested('filters');
  const allowedDomains = readDomains(filters, 'allowed_domains');
  const blockedDomains = readDomains(filters, 'blocked_domains');
  const contextSize = fields.choice('search_context_size', ['low', 'medium', 'high']);
  filters?.finish(unread);
  return {
    isDispensable: false,
    ...(allowedDomains && { allowedDomains }),
    ...(blockedDomains && { blockedDomains }),
    ...readLocation(fields.nested('user_location'), unread),
    ...(contextSize && { contextSize }),
  };
}

/**
 * A search among tools that are all in the request is not needed: other models are shown them at once. What
 * the caller looks for itself is a function like any other.
 */
function fromSearch(fields: RequestFields): ToolDefinition[] {
  const isOwn = fields.text('execution') === 'client';
  const search = { ...fromFunction(searchName, fields), name: searchName };
  return isOwn ? [search] : [];
}

function fromNamespace(fields: RequestFields, unread: string[]): ToolDefinition[] {
  const namespace = requiredName(fields, 'name');
  const about = fields.text('description');
  return (fields.list('tools') ?? []).map((tool, index) => {
    const nested = RequestFields.of(tool, `${fields.path('tools')}[${index}]`);
    const type = nested.choice('type', ['function', 'custom']);
    if (type === undefined) throw invalid(nested.path('type'), 'is required');
    const read = fromOwnTool(type, nested, namespace, unread);
    nested.finish(unread);
    const description = [about, read.description].filter((text) => text !== undefined).join('\n\n');
    return description === '' ? read : { ...read, description };
  });
}

function fromOwnTool(
  type: 'function' | 'custom',
  fields: RequestFields,
  namespace: string | null,
  unread: string[],
): ToolDefinition {
  // Every tool is shown at once.
  fields.ignore('defer_loading');
  const name = flatName(namespace, requiredName(fields, 'name'));
  return type === 'custom' ? fromCustomTool(name, fields, unread) : fromFunction(name, fields);
}

/**
 * Without `strict` OpenAI keeps to the schema where it can, which is what other providers do by themselves.
 * https://platform.openai.com/docs/api-reference/responses/create#responses-create-tools
 */
function fromFunction(name: string, fields: RequestFields): ToolDefinition {
  const description = fields.text('description');
  const parameters = fields.object('parameters');
  const strict = fields.boolean('strict');
  return {
    name,
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters }),
    ...(strict !== undefined && { strict }),
  };
}
