import { invalid } from '../canonical/request-fields';
import type { RequestFields } from '../canonical/request-fields';
import { isRecord } from '../wire/json-value';

/** How the caller knows a tool. Other models know every tool as a function with one name. */
export interface CallerTool {
  kind: 'function' | 'custom';
  name: string;
  /** The group that the tool stands in, null for none. https://platform.openai.com/docs/guides/function-calling#defining-namespaces */
  namespace: string | null;
}

/** The one name of a tool for models that know no namespaces. */
export function flatName(namespace: string | null, name: string): string {
  if (namespace === null) return name;
  return namespace.endsWith('_') ? namespace + name : `${namespace}__${name}`;
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
  }

  /** A name that the caller does not have is that of a function: models make such calls up. */
  named(flat: string): CallerTool {
    return this.tools.get(flat) ?? { kind: 'function', name: flat, namespace: null };
  }

  private addAll(tools: unknown, namespace: string | null): void {
    for (const tool of Array.isArray(tools) ? (tools as unknown[]) : []) {
      if (!isRecord(tool) || typeof tool.name !== 'string') continue;
      const { type, name } = tool;
      if (type === 'namespace' && namespace === null) this.addAll(tool.tools, name);
      if (type === 'function' || type === 'custom')
        this.tools.set(flatName(namespace, name), { kind: type, name, namespace });
    }
  }
}
