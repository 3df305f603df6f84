/**
 * The longest event of a stream: an image in base64 fits, a stream without line ends does not go on for ever.
 */
export const maxEventBytes = 16 * 1024 * 1024;

/** The longest answer that is no stream. */
export const maxAnswerBytes = 64 * 1024 * 1024;
