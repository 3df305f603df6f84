import { isIPv6 } from 'node:net';
import type { PersonalDataKind } from '@tollgate/contracts/catalog';
import type { Match } from './match';

const localPart = /(?<![\w.%+-])[A-Za-z0-9_][\w.%+-]{0,63}$/;
const domain = /^(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])/;
/** One more than the local part can have, so that what stands before it is seen. */
const before = 65;
const after = 255;

/**
 * What each kind looks like. Every repetition is bounded and no two that follow one another can take the same
 * character, so that none of them is slow on any text; `isReal` judges what looks right.
 */
const shapes: Readonly<Record<Exclude<PersonalDataKind, 'email'>, readonly Shape[]>> = {
  phone: [
    // International, https://www.itu.int/rec/T-REC-E.164: 15 digits at most.
    { pattern: /(?<![\w+])(?:\+|00)[1-9](?:[ ()./-]{0,2}\d){6,14}(?!\w)/g },
    // North American, as people write it: with separators, or any number would be one.
    { pattern: /(?<![\w.-])(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?![\w-])/g },
  ],
  'credit-card': [{ pattern: /(?<![\w.-])[2-6]\d{3}(?:[ -]?\d){9,15}(?![\w-])/g, isReal: hasLuhnChecksum }],
  iban: [{ pattern: /(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?!\w)/g, isReal: hasIbanChecksum }],
  'ip-address': [
    {
      pattern:
        /(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?![\w]|\.\d)/g,
    },
    { pattern: /(?<![\w:])(?:[0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}(?![\w:])/g, isReal: isTelling },
  ],
  'api-key': [
    // Keys of OpenAI, Anthropic and others, of Stripe, and of gateways such as this one.
    { pattern: /(?<![\w-])(?:sk|pk|rk)[-_][\w-]{20,200}/g },
    { pattern: /(?<![\w-])[a-z]{2,12}_sk_[A-Za-z0-9_]{20,100}/g },
    // Amazon, Google, GitHub, GitLab, Slack, Hugging Face:
    // https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns
    { pattern: /(?<!\w)(?:AKIA|ASIA)[0-9A-Z]{16}(?!\w)/g },
    { pattern: /(?<!\w)AIza[\w-]{35}/g },
    { pattern: /(?<!\w)(?:gh[pousr]_[A-Za-z0-9]{36,100}|github_pat_\w{22,100}|glpat-[\w-]{20,60})/g },
    { pattern: /(?<!\w)xox[abeoprs]-[\w-]{10,100}/g },
    { pattern: /(?<!\w)hf_[A-Za-z0-9]{30,60}/g },
    { pattern: /(?<!\w)eyJ[\w-]{10,500}\.eyJ[\w-]{10,1000}\.[\w-]{10,500}/g },
    { pattern: /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/g },
  ],
};

interface Shape {
  readonly pattern: RegExp;
  readonly isReal?: (text: string) => boolean;
}

/**
 * The most characters of what is found for certain in a stream: longer e-mail addresses and tokens are found
 * in part.
 */
export const longestPersonalData = 160;

/** What every text with data of a kind has in it, where looking for that is much faster. */
const signs: Readonly<Partial<Record<PersonalDataKind, RegExp>>> = {
  'ip-address': /\d\.\d|:[0-9a-fA-F]{0,4}:/,
  'api-key': /[spr]k[-_]|A[KS]IA|AIza|gh[pousr]_|_pat_|glpat-|xox[abeoprs]-|hf_|\beyJ|-----BEGIN/,
};

/** Every place in a text that holds data of a kind. */
export function findPersonalData(kind: PersonalDataKind, text: string): Match[] {
  if (kind === 'email') return findEmails(text);
  if (signs[kind]?.test(text) === false) return [];
  return shapes[kind].flatMap(({ pattern, isReal }) => {
    const found: Match[] = [];
    for (const { index, 0: whole } of text.matchAll(pattern)) {
      const real = isReal ? realPart(whole, isReal) : whole;
      if (real !== null) found.push({ start: index, end: index + real.length });
    }
    return found;
  });
}

/** Words that follow a number look like its last groups: without them it may be one. */
function realPart(whole: string, isReal: (text: string) => boolean): string | null {
  for (let part = whole; part !== ''; part = part.slice(0, Math.max(0, part.lastIndexOf(' ')))) {
    if (isReal(part)) return part;
  }
  return null;
}

/** `::` alone, and what could be the parts of a time, tell of no machine. */
function isTelling(text: string): boolean {
  return isIPv6(text) && /[0-9a-fA-F]{3}/.test(text);
}

/** E-mail addresses, looked for around each @. */
function findEmails(text: string): Match[] {
  const found: Match[] = [];
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const name = localPart.exec(text.slice(Math.max(0, at - before), at));
    const host = name && domain.exec(text.slice(at + 1, at + after));
    if (host) found.push({ start: at - name[0].length, end: at + 1 + host[0].length });
  }
  return found;
}

/** The check digit of payment cards (ISO/IEC 7812-1): each second digit from the right counts twice. */
function hasLuhnChecksum(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  if (digits.length < 13 || digits.length > 19) return false;
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place]);
    const counted = place % 2 === 1 ? digit * 2 : digit;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}

/**
 * The check digits of an account number (ISO 13616): with its head at its end and letters as numbers from 10,
 * it leaves 1 when divided by 97.
 */
function hasIbanChecksum(text: string): boolean {
  const iban = text.replace(/ /g, '');
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban)) return false;
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
