import type { Case } from './case.fixture';
import { conversationCases } from './conversation-cases.fixture';
import { reasoningCases } from './reasoning-cases.fixture';
import { settingCases } from './setting-cases.fixture';
import { toolCases } from './tool-cases.fixture';

/**
 * The canonical case list: every surface says it or why it cannot, every provider dialect takes it or why it
 * does not.
 */
export const cases: readonly Case[] = [...conversationCases, ...toolCases, ...settingCases, ...reasoningCases];
