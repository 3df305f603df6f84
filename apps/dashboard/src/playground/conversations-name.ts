/** Under which a browser keeps what was said in the playground. */
export const conversationsName = 'conversations';
