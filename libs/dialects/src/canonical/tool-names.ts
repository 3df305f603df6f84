import { createHash } from 'node:crypto';
import type { CanonicalRequest, MessagePart } from './generation-request';

/**
 * What a provider takes as the name of a tool. `other`: characters that stand in none, for a name without
 * them; `longest`: characters.
 */
export interface ToolNameRule {
  legal: RegExp;
  other: RegExp;
  longest: number;
}

/**
 * Letters, digits, underscores and dashes, as OpenAI, Anthropic and Bedrock have it. MCP's names may have 128
 * characters, and dots and slashes.
 */
export function plainNames(longest: number): ToolNameRule {
  return { legal: new RegExp(`^[a-zA-Z0-9_-]{1,${longest}}$`), other: /[^a-zA-Z0-9_-]/g, longest };
}

/**
 * Names of tools that a provider would refuse get others on their way to it, and their own again in the
 * answer. The same request always gives the same names.
 */
export class ToolNames {
  private readonly there = new Map<string, string>();
  private readonly back = new Map<string, string>();
  /**
   * The next number behind each name that several would like to have: with thousands of them nobody counts
   * from the beginning again.
   */
  private readonly numbers = new Map<string, number>();

  constructor(
    private readonly request: CanonicalRequest,
    private readonly rule: ToolNameRule,
    /** Legal names that the provider keeps for itself. */
    private readonly reserved: readonly string[] = [],
  ) {
    const names = toolNamesIn(request);
    // A legal name keeps itself, whoever else would like to have it.
    for (const name of names) if (rule.legal.test(name) && !reserved.includes(name)) this.add(name, name);
    for (const name of names) if (!this.there.has(name)) this.add(name, this.free(name));
  }

  to(name: string): string {
    return this.there.get(name) ?? name;
  }

  from(name: string): string {
    return this.back.get(name) ?? name;
  }

  /** The request with the provider's names; the very same where all of them are legal. */
  renamed(): CanonicalRequest {
    const { request } = this;
    if ([...this.there].every(([name, foreign]) => name === foreign)) return request;
    const { tools, toolChoice, messages } = request;
    return {
      ...request,
      messages: messages.map((message) => ({ ...message, parts: message.parts.map((part) => this.renamedPart(part)) })),
      ...(tools && { tools: tools.map((tool) => ({ ...tool, name: this.to(tool.name) })) }),
      ...(toolChoice?.type === 'tool' && { toolChoice: { type: 'tool' as const, name: this.to(toolChoice.name) } }),
    };
  }

  private renamedPart(part: MessagePart): MessagePart {
    if (part.type === 'tool-call') return { ...part, name: this.to(part.name) };
    if (part.type === 'tool-result' && part.toolName !== undefined)
      return { ...part, toolName: this.to(part.toolName) };
    return part;
  }

  private add(name: string, foreign: string): void {
    this.there.set(name, foreign);
    this.back.set(foreign, name);
  }

  /**
   * A name that is too long ends with a digest of the whole, so that it stays the same whatever other tools
   * there are.
   */
  private free(name: string): string {
    const { other, longest } = this.rule;
    const clean = name.replace(other, '_') || '_';
    const begun = this.rule.legal.test(clean.slice(0, 1)) ? clean : `_${clean}`;
    const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
    const base = begun.length <= longest - 4 ? begun : `${begun.slice(0, longest - 13)}_${digest}`;
    let foreign = base;
    let number = this.numbers.get(base) ?? 2;
    for (; this.back.has(foreign) || this.reserved.includes(foreign); number++) foreign = `${base}_${number}`;
    this.numbers.set(base, number);
    return foreign;
  }
}

/** The names of all tools that a request offers, or tells calls of. */
export function toolNamesIn({ tools = [], messages }: Pick<CanonicalRequest, 'tools' | 'messages'>): Set<string> {
  const called = messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-call'));
  return new Set([...tools, ...called].map(({ name }) => name));
}
