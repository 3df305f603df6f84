/**
 * Programs by how what they call themselves begins: their header `originator`, where they have one, else
 * their user agent. Only these are told of in reports, so that there are never more than a few.
 */
const agents: readonly (readonly [begins: RegExp, name: string])[] = [
  // https://github.com/griffinmartin/opencode-claude-auth/pull/109: claude-cli/<version> (external, cli)
  [/^claude-(?:cli|code)\//, 'claude-code'],
  // https://github.com/openai/codex/blob/main/codex-rs/login/src/auth/default_client.rs
  [/^codex[_ -]/i, 'codex'],
  // https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/session/llm/request.ts
  [/^opencode\d?\//, 'opencode'],
  // https://github.com/QwenLM/qwen-code/blob/main/packages/core/src/core/openaiContentGenerator/provider/default.ts
  [/^QwenCode\//, 'qwen-code'],
  // https://github.com/charmbracelet/crush/blob/main/internal/agent/agent.go
  [/^Charm-Crush\//, 'crush'],
  // https://github.com/cline/cline/blob/main/sdk/packages/llms/src/providers/request-headers.ts
  [/^Cline\//, 'cline'],
  // https://github.com/RooCodeInc/Roo-Code/blob/main/src/api/providers/constants.ts
  [/^RooCode\//, 'roo-code'],
  // https://github.com/Kilo-Org/kilocode/blob/main/src/api/providers/constants.ts
  [/^Kilo-Code\//, 'kilo-code'],
];

/** Which of the known agents calls itself so; undefined: none of them. */
export function agentOf(program: unknown): string | undefined {
  return typeof program === 'string' ? agents.find(([begins]) => begins.test(program))?.[1] : undefined;
}
