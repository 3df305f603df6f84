/**
 * What the user says before a conversation that the assistant begins (with a greeting, or as what a window of
 * memory left of it), for models that take no other beginning.
 */
export const openingText = '(start of the conversation)';

export const openingTold = 'a message of the user was put before the first one: this model begins with one';
