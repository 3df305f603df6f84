import type { ToolNameRule } from '../canonical/tool-names';

/**
 * Letters, digits, underscores, dots, colons and dashes, begun by a letter or an underscore.
 * https://ai.google.dev/api/caching#FunctionDeclaration There they are up to 128 long, of which Google itself
 * takes 64: https://github.com/AstrBotDevs/AstrBot/issues/5416
 */
export const geminiNames: ToolNameRule = { legal: /^[A-Za-z_][\w.:-]{0,63}$/, other: /[^\w.:-]/g, longest: 64 };
