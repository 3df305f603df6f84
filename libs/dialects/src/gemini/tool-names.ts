import type { CanonicalRequest } from '../canonical/generation-request';

/** Letters, digits, underscores, dots, colons and dashes, begun by a letter or an underscore. https://ai.google.dev/api/caching#FunctionDeclaration */
const legal = /^[A-Za-z_][\w.:-]{0,127}$/;

/** Names of tools that Gemini would refuse get others on their way to it, and their own again in the answer. The same request always gives the same names. */
export class ToolNames {
  private readonly there = new Map<string, string>();
  private readonly back = new Map<string, string>();

  constructor(request: CanonicalRequest) {
    const names = namesIn(request);
    // A legal name keeps itself, whoever else would like to have it.
    for (const name of names) if (legal.test(name)) this.add(name, name);
    for (const name of names) if (!this.there.has(name)) this.add(name, this.free(name));
  }

  toGemini(name: string): string {
    return this.there.get(name) ?? name;
  }

  fromGemini(name: string): string {
    return this.back.get(name) ?? name;
  }

  private add(name: string, foreign: string): void {
    this.there.set(name, foreign);
    this.back.set(foreign, name);
  }

  private free(name: string): string {
    const clean = name.replace(/[^\w.:-]/g, '_').slice(0, 120);
    const base = /^[A-Za-z_]/.test(clean) ? clean : `_${clean}`;
    let foreign = base;
    for (let number = 2; this.back.has(foreign); number++) foreign = `${base}_${number}`;
    return foreign;
  }
}

function namesIn({ tools = [], messages }: CanonicalRequest): Set<string> {
  const called = messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-call'));
  return new Set([...tools, ...called].map(({ name }) => name));
}
