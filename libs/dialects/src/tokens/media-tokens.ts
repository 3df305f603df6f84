/**
 * What pictures, sounds and files cost is known to the provider alone; these are documented estimates, used
 * to reserve quota and where a provider told no usage.
 * Images: OpenAI's figures for a low-detail image (85) and for four tiles of 512 pixels (85 + 4 x 170), which
 * is a 1024 x 1024 image at high detail:
 * https://platform.openai.com/docs/guides/images-vision#calculating-costs
 */
const lowDetailImageTokens = 85;
const highDetailImageTokens = 765;

/** Base64 characters of a compressed recording for one token: about ten tokens a second at 128 kbit/s. */
const audioCharactersPerToken = 2_000;
/** Base64 characters of a document (PDF) for one token. */
const fileCharactersPerToken = 20;

/** Tokens of an image; `detail` is the request's own word for it. */
export function imageTokens(detail: unknown): number {
  return detail === 'low' ? lowDetailImageTokens : highDetailImageTokens;
}

/** Tokens of a recording given as base64 text. */
export function audioTokens(base64Characters: number): number {
  return Math.ceil(base64Characters / audioCharactersPerToken);
}

/** Tokens of a document given as base64 text. */
export function fileTokens(base64Characters: number): number {
  return Math.ceil(base64Characters / fileCharactersPerToken);
}
