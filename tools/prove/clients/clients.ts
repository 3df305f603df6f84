import { aider } from './agents/aider';
import { claudeCode } from './agents/claude-code';
import { cline } from './agents/cline';
import { codex } from './agents/codex';
import { continueCli } from './agents/continue';
import { opencode } from './agents/opencode';
import { pi } from './agents/pi';
import { qwenCode } from './agents/qwen-code';
import type { Client } from './client';
import { libraries } from './libraries';

/** Every client, agents first. */
export const clients: readonly Client[] = [
  claudeCode,
  codex,
  opencode,
  qwenCode,
  pi,
  continueCli,
  cline,
  aider,
  ...libraries,
];
