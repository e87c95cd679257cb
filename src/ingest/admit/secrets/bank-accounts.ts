import { atEach, type Span } from './secret-rule.ts';

/** Length of an IBAN by country (ISO 13616 registry). */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 ' +
    'EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 ' +
    'KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 ' +
    'PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 ' +
    'UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

const HEAD = /(?<![\p{L}\p{N}])[A-Za-z]{2}\d{2}(?=[ \u00a0-]?[A-Za-z0-9])/gu;

export const findIbans = (text: string): Iterable<Span | null> =>
  atEach(HEAD, text, ({ index, 0: head }) => {
    const length = LENGTHS.get(head.slice(0, 2).toUpperCase());
    return length === undefined ? null : readIban(text, index, length);
  });

/** Takes as many letters and digits as the country has, single spaces or dashes between them aside. */
function readIban(text: string, start: number, length: number): Span | null {
  let [account, at] = ['', start];
  while (account.length < length) {
    if (/[ \u00a0-]/.test(text.charAt(at)) && account.length >= 4) at += 1;
    const character = text.charAt(at);
    if (!/[A-Za-z0-9]/.test(character)) return null;
    account += character.toUpperCase();
    at += 1;
  }
  return /^[\p{L}\p{N}]/u.test(text.slice(at)) || !passesMod97(account) ? null : { start, end: at };
}

/** ISO 7064: the first four characters at the end, letters as 10 to 35, the remainder is 1. */
export function passesMod97(account: string): boolean {
  let remainder = 0;
  for (const character of account.slice(4) + account.slice(0, 4))
    for (const digit of Number.parseInt(character, 36).toString())
      remainder = (remainder * 10 + Number(digit)) % 97;
  return remainder === 1;
}
