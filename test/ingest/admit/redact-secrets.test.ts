import { describe, expect, it } from 'vitest';
import { redactSecrets, SECRET_RULES } from '../../../src/ingest/admit/redact-secrets.ts';
import { passesLuhn, passesMod97 } from '../../../src/ingest/admit/secrets/numbers.ts';
import type { SecretKind } from '../../../src/ingest/admit/secrets/secret-rule.ts';

const ALPHABET = 'Q7w2eR9tY4uI8oP1aS5dF6gH3jK0lZxCvBnM';
/** A pseudo-random key, reproducible; assembled here so that no scanner reports it as a real one. */
const random = (length: number): string =>
  ALPHABET.repeat(Math.ceil(length / ALPHABET.length)).slice(0, length);
const capitals = (length: number): string => random(length).toUpperCase();

/** [kind, text with the secret between ⟦ and ⟧]: exactly the secret must be removed. */
const SECRETS: readonly (readonly [SecretKind, string])[] = [
  ['API key', `Use ⟦sk-${random(48)}⟧ for the demo.`],
  ['API key', `ANTHROPIC=⟦sk-ant-api03-${random(40)}-AA⟧`],
  ['API key', `id ⟦AKIA${capitals(16)}⟧, region eu-west-1`],
  ['API key', `AWS_SECRET_ACCESS_KEY=⟦${random(20)}/${random(19)}⟧`],
  ['API key', `"aws secret access key": "⟦${random(40)}⟧"`],
  ['API key', `stripe ⟦sk_live_${random(24)}⟧`],
  ['API key', `maps: ⟦AIza${random(35)}⟧.`],
  ['API key', `export HF=⟦hf_${random(34)}⟧`],
  ['API key', `my api key is ⟦${random(32)}⟧`],
  ['API key', `client_secret: ⟦${random(24)}⟧, scope: all`],
  ['access token', `git clone with ⟦ghp_${random(36)}⟧`],
  ['access token', `⟦github_pat_${random(22)}_${random(40)}⟧`],
  ['access token', `CI uses ⟦glpat-${random(20)}⟧ now`],
  ['access token', `slack ⟦xoxb-123456789012-${random(24)}⟧`],
  ['access token', `//registry/:_authToken=⟦npm_${random(36)}⟧`],
  ['access token', `jwt ⟦eyJ${random(20)}.eyJ${random(30)}.${random(43)}⟧ expired`],
  ['access token', 'curl -H "Authorization: Bearer ⟦abcdef1234⟧" https://example.com'],
  ['access token', 'Authorization: Basic ⟦dXNlcjpwYXNzd29yZA==⟧'],
  ['access token', `bearer ⟦${random(40)}⟧`],
  ['password', 'postgres://bob:⟦tiger9⟧@db.example.com:5432/shop'],
  ['password', 'https://ann:⟦p@ss⟧@example.com/path'],
  ['password', 'password: ⟦$hunter⟧'],
  ['password', 'my password is ⟦%swordfish%⟧'],
  ['card number', 'My card is ⟦4111 1111 1111 1111⟧, valid to 12/27.'],
  ['card number', 'pay with ⟦4111111111111111⟧ now'],
  ['card number', '⟦5555-5555-5555-4444⟧'],
  ['card number', 'Use ⟦2223003122003222⟧'],
  ['card number', 'amex ⟦3782 822463 10005⟧'],
  ['card number', 'diners ⟦3056 930902 5904⟧'],
  ['card number', 'I paid ⟦6011111111111117⟧'],
  ['card number', 'jcb ⟦3530111333300000⟧'],
  ['card number', 'union ⟦6200000000000005⟧'],
  ['card number', 'maestro ⟦6759649826438453⟧'],
  ['card number', 'my visa ⟦4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1⟧'],
  ['card number', 'The card for order number ⟦4111 1111 1111 1111⟧'],
  ['card number', 'dashes ⟦4111–1111–1111–1111⟧ as typed by a phone'],
  ['IBAN', 'Please pay to ⟦DE89 3704 0044 0532 0130 00⟧ by Friday.'],
  ['IBAN', '⟦GB82WEST12345698765432⟧'],
  ['IBAN', 'iban ⟦fr1420041010050500013m02606⟧,'],
  ['IBAN', 'NL: ⟦NL91 ABNA 0417 1643 00⟧ is mine'],
  ['social security number', 'my SSN is ⟦078-05-1120⟧.'],
  ['social security number', 'Social security number: ⟦078 05 1120⟧'],
  ['card security code', 'exp 12/27, CVV ⟦123⟧'],
  ['PIN', 'PIN ⟦4921⟧'],
  ['PIN', 'my pin is ⟦4921⟧, do not tell'],
  ['PIN', 'The PIN for my debit card is ⟦492188⟧.'],
  ['PIN', '⟦4921⟧ is my PIN'],
  ['PIN', 'my pin code is ⟦560001⟧'],
  ['login code', 'Your verification code is ⟦118922⟧.'],
  ['login code', '⟦118922⟧ is your Example verification code'],
  ['login code', 'the code is ⟦118922⟧, they sent it when I tried to log in'],
  ['login code', 'Use code ⟦118 922⟧ to sign in'],
  ['login code', 'OTP: ⟦4821⟧'],
  ['login code', 'Your Example code: ⟦118-922⟧. Don’t share this code with others.'],
  ['password', 'My password is ⟦hunter2⟧, please remember it.'],
  ['password', 'my password is ⟦swordfish⟧'],
  ['password', 'pw: ⟦hunter⟧'],
  ['password', 'I changed my password to ⟦Blue$Whale9⟧'],
  ['password', 'log in as bob, password ⟦hunter22⟧'],
  ['password', 'The wifi password at home is ⟦Kitten-99⟧.'],
  ['password', 'The master password is “⟦open sesame⟧”.'],
  ['password', 'my passphrase is ⟦correct horse battery staple⟧.'],
  ['password', 'DB_PASSWORD=⟦abc123xyz⟧'],
  ['password', '{"dbPassword": "⟦s3cr3t-x⟧", "host": "localhost"}'],
  ['password', '**Password:** ⟦hunter2⟧'],
  ['password', 'username: bob pass: ⟦hunter22⟧'],
  ['password', '⟦hunter22⟧ is my password'],
  ['password', 'mein Passwort ist ⟦Geheim123⟧'],
  ['password', '密码是⟦abc12345⟧'],
];

const HARMLESS: readonly string[] = [
  'I forgot my password again and had to reset it.',
  'My password is not working. The password is expired, and the password was wrong.',
  'Your password is required for login; a password is case-sensitive.',
  'The password must have 12 characters. My password is 12 characters long. Password: 8-20 characters.',
  'Password: ********',
  'password: string; password = getpass(); password: z.string().min(8); password=process.env.DB_PASSWORD',
  'password: <your password>, pw: {{PASSWORD}}, pwd: $PASSWORD, password=%DB_PASSWORD%',
  'My password is the name of my dog, my passphrase is too long to remember.',
  'We talked about a strong password policy for 2024. Passwords are a pain.',
  'A password manager is great. 1Password: great app.',
  'boarding pass: ABC123, ski pass: 3 days',
  'GPIO pin 1234 is unused, pin the note to page 4921.',
  'Our office is in Bengaluru, pincode: 560001, that is PIN code 560001.',
  'My password is Grandma’s birthday.',
  'We chose 1Password: Bitwarden, Dashlane and others lack that.',
  'The class is sk-navigationmenuitemstatelarge.',
  'I lost my PIN in 2019.',
  'The zip code is 94107 and the area code is 415; after I logged in I got error code 50058.',
  'promo code 118922 at login, discount code 4821, booking code 118922',
  'The code is 118922 lines long and the dress code is 2024.',
  'Call +49 151 23456789 or 555-123-4567 or (020) 7946 0958.',
  'order number 4111111111111111, tracking 4111 1111 1111 1111, invoice #5555555555554444',
  'The sums were 0.4111111111111111 and 4111111111111111.5.',
  'https://shop.example.com/items/4111111111111111?id=5555555555554444',
  '4111 1111 1111 1112 has a wrong check digit, 9111111111111111 no issuer.',
  'ISBN 978-3-16-148410-0, EAN 4006381333931, at 1700000000000 and 1683547200000000.',
  'Model 0000 0000 0000 0000, snowflake 1234567890123456789.',
  'DE89 3704 0044 0532 0130 01 has a wrong checksum, XX89 no country.',
  'Flight AB12 leaves at gate CD34; form FR20 and GB22.',
  '078-05-1120 alone is no one’s number, and my social security benefits of 2021 were low.',
  'Bearer of bad news, the token ring was secret: nobody knew the key to success.',
  'The class is sk-navigation-menu-item-active-state-large.',
  'https://example.com:8080/path@home, mailto:bob@example.com, 10:30@cafe',
  'We met on 2023-05-08 at 10:30, room 4921, for 118922 dollars.',
  'Commit 3f786850e387550fdab836ed7e6dc881de23001b fixed it.',
];

const clean = (marked: string): string => marked.replace(/[⟦⟧]/g, '');

describe('redactSecrets', () => {
  it.each(SECRETS)('%s: %s', (kind, marked) => {
    const { text, found } = redactSecrets(clean(marked));
    expect(text).toBe(marked.replace(/⟦[^⟧]*⟧/, `[redacted: ${kind}]`));
    expect(found).toEqual([{ kind, count: 1 }]);
  });

  it.each(HARMLESS)('does not change: %s', (text) => {
    expect(redactSecrets(text)).toEqual({ text, found: [] });
  });

  it('removes private keys, complete or truncated, and keeps the text around them', () => {
    const body = `${random(64)}\n${random(64)}\nAb3=`;
    const kinds = ['RSA PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'PRIVATE KEY', 'PGP PRIVATE KEY BLOCK'];
    for (const name of kinds) {
      const { text } = redactSecrets(
        `before\n-----BEGIN ${name}-----\n${body}\n-----END ${name}-----\nafter`,
      );
      expect(text).toBe('before\n[redacted: private key]\nafter');
    }
    const open = redactSecrets(`-----BEGIN PRIVATE KEY-----\n${body}\nSee you at noon tomorrow.`);
    expect(open.text).toBe('[redacted: private key]\nSee you at noon tomorrow.');
    const publicKey = `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----`;
    expect(redactSecrets(publicKey).found).toEqual([]);
  });

  it('finds every secret of a text, counts them by kind and reveals none', () => {
    const { text, found } = redactSecrets(
      'Cards 4111 1111 1111 1111 5555 5555 5555 4444; the PIN is 4921, my password is hunter2.',
    );
    expect(text).toBe(
      'Cards [redacted: card number] [redacted: card number]; the PIN is [redacted: PIN], my password is [redacted: password].',
    );
    expect(found).toEqual([
      { kind: 'card number', count: 2 },
      { kind: 'PIN', count: 1 },
      { kind: 'password', count: 1 },
    ]);
  });

  it('labels text that two rules match by the first of them, and removes both matches', () => {
    const { text, found } = redactSecrets(`my password is sk-${random(30)}!x and no more`);
    expect(text).toBe('my password is [redacted: API key] and no more');
    expect(found).toEqual([{ kind: 'API key', count: 1 }]);
  });

  it('removes a very long password completely', () => {
    expect(redactSecrets(`password: ${random(2_000)} ok`).text).toBe('password: [redacted: password] ok');
  });

  it('changes nothing on a second run', () => {
    const once = SECRETS.map(([, marked]) => redactSecrets(clean(marked)).text);
    for (const text of [...once, once.join('\n'), once.join(' ')]) {
      const again = redactSecrets(text);
      expect(again).toEqual({ text, found: [] });
    }
  });

  it('finds secrets among other words', () => {
    for (const [kind, marked] of SECRETS) {
      const { text } = redactSecrets(`Hello there!\n${clean(marked)}\nSee you on 8 May 2023.`);
      expect(text, marked).toBe(
        `Hello there!\n${marked.replace(/⟦[^⟧]*⟧/, `[redacted: ${kind}]`)}\nSee you on 8 May 2023.`,
      );
    }
  });

  it('has cues that never hide a match of their rule', () => {
    for (const [, marked] of SECRETS) {
      const text = clean(marked);
      for (const { kind, cue, find } of SECRET_RULES)
        expect([...find(text)].some((span) => span !== null) && !cue.test(text), `${kind}: ${text}`).toBe(
          false,
        );
    }
  });
});

describe('checksums', () => {
  it('Luhn: the example of ISO/IEC 7812-1, and any changed digit', () => {
    const digits = '49927398716';
    expect(passesLuhn(digits)).toBe(true);
    for (let at = 0; at < digits.length; at += 1)
      for (let other = 1; other < 10; other += 1) {
        const changed = (Number(digits[at]) + other) % 10;
        expect(passesLuhn(digits.slice(0, at) + changed + digits.slice(at + 1))).toBe(false);
      }
  });

  it('mod 97: 3214282912345698765432161182 leaves 1', () => {
    // GB82 WEST 1234 5698 7654 32 rearranged: W=32 E=14 S=28 T=29 … G=16 B=11 82.
    expect(3214282912345698765432161182n % 97n).toBe(1n);
    expect(passesMod97('GB82WEST12345698765432')).toBe(true);
    expect(passesMod97('GB82WEST12345698765423')).toBe(false);
  });
});
