import { findIbans } from './bank-accounts.ts';
import { CARD_CUE, findCardNumbers } from './card-numbers.ts';
import {
  findCardCodes,
  findLoginCodes,
  findPasswordsBefore,
  findPins,
  findSocialSecurityNumbers,
} from './labelled-numbers.ts';
import { findPasswords, PASSWORD_CUE } from './passwords.ts';
import { findPrivateKeys } from './private-keys.ts';
import type { SecretRule } from './secret-rule.ts';
import {
  findAuthorization,
  findJsonWebTokens,
  findKeys,
  findLabelledKeys,
  findTokens,
  findUrlPasswords,
} from './token-shapes.ts';

/** Everything that is kept out of memory. Where two find the same place, the first names it. */
export const SECRET_RULES: readonly SecretRule[] = [
  { kind: 'private key', cue: /PRIVATE KEY/, find: findPrivateKeys },
  { kind: 'API key', cue: /[\w-]{18}|SG\./, find: findKeys },
  { kind: 'access token', cue: /[\w-]{16}|services\//, find: findTokens },
  { kind: 'access token', cue: /eyJ/, find: findJsonWebTokens },
  { kind: 'access token', cue: /authorization|bearer/i, find: findAuthorization },
  { kind: 'password', cue: /:\/\//, find: findUrlPasswords },
  { kind: 'API key', cue: /(?:key|token|secret)/i, find: findLabelledKeys },
  { kind: 'card number', cue: CARD_CUE, find: findCardNumbers },
  { kind: 'IBAN', cue: /[A-Za-z]{2}\d{2}/, find: findIbans },
  { kind: 'social security number', cue: /ssn|soc/i, find: findSocialSecurityNumbers },
  { kind: 'card security code', cue: /cv[vc]|card/i, find: findCardCodes },
  { kind: 'PIN', cue: /pin(?!\p{Ll})/iu, find: findPins },
  { kind: 'login code', cue: /code|otp|2fa|mfa|one-?time/i, find: findLoginCodes },
  { kind: 'password', cue: PASSWORD_CUE, find: findPasswords },
  { kind: 'password', cue: /pass(?:word|phrase)/i, find: findPasswordsBefore },
];
