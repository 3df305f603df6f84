import {
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
  WebAuthnError,
} from '@simplewebauthn/browser';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { z } from 'zod/mini';
import { me, signedIn } from '../api/auth';
import type { Me } from '../api/auth';
import { post } from '../api/client';

/** What the gateway wants a browser to ask or make; only the browser reads it. */
const wanted = <Options>() => z.object({ options: z.custom<Options>((value) => typeof value === 'object') });
const added = z.object({ recoveryCodes: z.nullable(z.array(z.string())) });

/** The offer below asks for a challenge, too, and the one that was asked for last counts. */
let asking: Promise<unknown> = Promise.resolve();
/** Somebody does not wait for the offer: it would take the browser's question, and its challenge, from them. */
let isPressed = false;

/**
 * Offers passkeys where an address is typed, as browsers do with passwords, until one is chosen there. Null:
 * the browser cannot, or the offer was withdrawn.
 * @throws Error in words for who reads it, where one that was chosen is refused.
 */
export async function offerPasskeys(): Promise<Me | null> {
  const answer = await chosenPasskey().catch(() => null);
  return answer && signedIn(post('/api/auth/passkey', { answer }, me));
}

async function chosenPasskey(): Promise<object | null> {
  if (!(await browserSupportsWebAuthnAutofill()) || isPressed) return null;
  const begun = post('/api/auth/passkey/begin', {}, wanted<PublicKeyCredentialRequestOptionsJSON>());
  asking = begun.catch(() => undefined);
  const { options: optionsJSON } = await begun;
  return isPressed ? null : startAuthentication({ optionsJSON, useBrowserAutofill: true });
}

/** Nobody chooses one of those that are offered any more. */
export const withdrawPasskeys = (): void => WebAuthnAbortService.cancelCeremony();

/**
 * Signs in with a passkey: of whoever uses it, or of whose password was right before.
 * @throws Error in words for who reads it; so do the others.
 */
export async function signInWithPasskey(): Promise<Me> {
  isPressed = true;
  try {
    await asking;
    const { options } = await post('/api/auth/passkey/begin', {}, wanted<PublicKeyCredentialRequestOptionsJSON>());
    return await signedIn(post('/api/auth/passkey', { answer: await answerTo(options) }, me));
  } finally {
    isPressed = false;
  }
}

/** The answer of a passkey of who is signed in, as a proof beside their password. */
export async function provePasskey(): Promise<object> {
  const { options } = await post('/api/auth/passkeys/prove', {}, wanted<PublicKeyCredentialRequestOptionsJSON>());
  return answerTo(options);
}

/** Makes a passkey and adds it. `recoveryCodes` null: they have those already. */
export async function addPasskey(proof: object, name: string): Promise<z.infer<typeof added>> {
  const { options } = await post('/api/auth/passkeys/begin', proof, wanted<PublicKeyCredentialCreationOptionsJSON>());
  const made = await inOurWords(
    () => startRegistration({ optionsJSON: options }),
    'it was cancelled, or took too long',
  );
  return post('/api/auth/passkeys', { name, made }, added);
}

function answerTo(options: PublicKeyCredentialRequestOptionsJSON): Promise<object> {
  const whyNot = 'it was cancelled, took too long, or this device has none of yours';
  return inOurWords(() => startAuthentication({ optionsJSON: options }), whyNot);
}

/**
 * What browsers say is for those who write pages, and differs from one to the next. `whyNot`: what may have
 * been, where they do not say.
 */
async function inOurWords<Answer>(work: () => Promise<Answer>, whyNot: string): Promise<Answer> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(wordsFor(cause, whyNot), { cause });
  }
}

function wordsFor(cause: unknown, whyNot: string): string {
  if (!('PublicKeyCredential' in globalThis)) return 'This browser knows no passkeys.';
  if (cause instanceof WebAuthnError && cause.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
    return 'You have a passkey of this device already.';
  const name = cause instanceof Error ? cause.name : '';
  if (name === 'NotAllowedError' || name === 'AbortError') return `No passkey was used: ${whyNot}.`;
  if (name === 'SecurityError') return 'The browser uses no passkey on this page.';
  return 'The browser could not use a passkey. Try again, or in another way.';
}
