import type { ToolNameRule } from '../canonical/tool-names';

/**
 * Letters, digits, underscores, dots, colons and dashes, begun by a letter or an underscore.
 * https://ai.google.dev/api/caching#FunctionDeclaration
 */
export const geminiNames: ToolNameRule = { legal: /^[A-Za-z_][\w.:-]{0,127}$/, other: /[^\w.:-]/g, longest: 128 };
