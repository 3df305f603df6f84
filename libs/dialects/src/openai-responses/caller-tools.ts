import { invalid } from '../canonical/request-fields';
import type { RequestFields } from '../canonical/request-fields';
import { isRecord } from '../wire/json-value';
import { isClientTool } from './client-tools';
import type { ClientToolKind } from './client-tools';

/** How the caller knows a tool. Other models know every tool as a function with one name. */
export interface CallerTool {
  /**
   * search: the caller itself looks for tools that it has kept back; shell, apply_patch: tools that OpenAI
   * has defined.
   */
  kind: 'function' | 'custom' | 'search' | ClientToolKind;
  name: string;
  /**
   * The group that the tool stands in, null for none.
   * https://platform.openai.com/docs/guides/function-calling#defining-namespaces
   */
  namespace: string | null;
}

/**
 * The name of a search that the caller runs; other models know it as a function.
 * https://platform.openai.com/docs/guides/tools-tool-search
 */
export const searchName = 'tool_search';

/** True for items of the input that bring tools, which stand beside those of the request from then on. */
export function bringsTools({ type }: Record<string, unknown>): boolean {
  return type === 'additional_tools' || type === 'tool_search_output';
}

/** The one name of a tool for models that know no namespaces. */
export function flatName(namespace: string | null, name: string): string {
  if (namespace === null) return name;
  return namespace.endsWith('_') ? namespace + name : `${namespace}__${name}`;
}

/** The flat names of tools as a caller lists them. */
export function flatNames(tools: readonly unknown[], namespace: string | null = null): string[] {
  return tools.flatMap((tool) => {
    if (!isRecord(tool) || typeof tool.name !== 'string') return [];
    if (tool.type === 'namespace') return Array.isArray(tool.tools) ? flatNames(tool.tools, tool.name) : [];
    return [flatName(namespace, tool.name)];
  });
}

/** A field that names a tool or a call. @throws GatewayError 400 naming it when it is absent or empty. */
export function requiredName(fields: RequestFields, field: string): string {
  const name = fields.requiredText(field);
  if (name === '') throw invalid(fields.path(field), 'must not be empty');
  return name;
}

/** The tools in a caller's body by their flat names, so that calls go back in the caller's own words. */
export class CallerTools {
  private readonly tools = new Map<string, CallerTool>();

  constructor(body: Record<string, unknown>) {
    this.addAll(body.tools, null);
    for (const item of Array.isArray(body.input) ? (body.input as unknown[]) : [])
      if (isRecord(item) && bringsTools(item)) this.addAll(item.tools, null);
  }

  /** A name that the caller does not have is that of a function: models make such calls up. */
  named(flat: string): CallerTool {
    return this.tools.get(flat) ?? { kind: 'function', name: flat, namespace: null };
  }

  private addAll(tools: unknown, namespace: string | null): void {
    for (const tool of Array.isArray(tools) ? (tools as unknown[]) : []) {
      if (!isRecord(tool)) continue;
      const { type, name } = tool;
      if (type === 'tool_search') this.tools.set(searchName, { kind: 'search', name: searchName, namespace: null });
      if (isClientTool(type)) this.tools.set(type, { kind: type, name: type, namespace: null });
      if (typeof name !== 'string') continue;
      if (type === 'namespace' && namespace === null) this.addAll(tool.tools, name);
      if (type === 'function' || type === 'custom')
        this.tools.set(flatName(namespace, name), { kind: type, name, namespace });
    }
  }
}
