import { z } from 'zod';

/** Bytes as WebAuthn writes them in JSON: base64url without padding, at most so many characters. */
const bytes = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[\w-]+$/, 'must be base64url');

/** An id has at most 1,023 bytes: https://www.w3.org/TR/webauthn-3/#credential-id. */
const credential = { id: bytes(1_364), rawId: bytes(1_364), type: z.literal('public-key') };
const clientDataJSON = bytes(8_192);

/**
 * What a browser makes of a new passkey, as its `toJSON()` writes it:
 * https://www.w3.org/TR/webauthn-3/#dictdef-registrationresponsejson. What is not needed is left out.
 */
export const newPasskey = z.object({
  ...credential,
  response: z.object({
    clientDataJSON,
    attestationObject: bytes(32_768),
    /** Hints of how to reach it. Those that we do not know are none. */
    transports: z.array(z.enum(['ble', 'hybrid', 'internal', 'nfc', 'usb'])).catch([]),
  }),
});
export type NewPasskey = z.infer<typeof newPasskey>;

/**
 * What a passkey answers to a challenge, as a browser's `toJSON()` writes it:
 * https://www.w3.org/TR/webauthn-3/#dictdef-authenticationresponsejson.
 */
export const passkeyAnswer = z.object({
  ...credential,
  response: z.object({
    clientDataJSON,
    authenticatorData: bytes(8_192),
    signature: bytes(8_192),
    /** Whose it is, as the passkey was told. Absent: it does not say. */
    userHandle: bytes(128).optional(),
  }),
});
export type PasskeyAnswer = z.infer<typeof passkeyAnswer>;

/** What a browser's `parse…OptionsFromJSON` takes; only browsers read more of it than the challenge. */
export const passkeyOptions = z.looseObject({ challenge: z.string() });
