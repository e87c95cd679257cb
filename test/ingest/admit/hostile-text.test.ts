import { describe, expect, it } from 'vitest';
import { maskRecalled } from '../../../src/ingest/admit/mask-recalled.ts';
import { compileNeverRemember } from '../../../src/ingest/admit/never-remember.ts';
import { RecalledTexts } from '../../../src/ingest/admit/recalled-texts.ts';
import { redactSecrets } from '../../../src/ingest/admit/redact-secrets.ts';
import { MAX_CONTENT_LENGTH } from '../../../src/model/turn-input.ts';
import { inTier } from '../../tier.ts';

/** A row that was stored then. */
const row = (createdAt: number) => ({ createdAt, id: '' });
/** Shapes that make a careless pattern backtrack: repeated to the length of the longest turn. */
const REPEATED: readonly string[] = [
  ...[
    'a',
    'A',
    '1',
    '4',
    '.',
    '-',
    '_',
    '=',
    '*',
    '"',
    '“',
    ' ',
    '\n',
    '\t',
    '…',
    '[',
    ']',
    '<',
    '/',
    ':',
    '@',
  ],
  ...['1 ', '4 1 ', '4111 ', '4111 1111 1111 1111 ', '4-', '12-', '123456', 'DE89', 'DE89 ', 'GB82 WEST '],
  ...[
    'sk-',
    'sk-a1',
    '-eyJ',
    'eyJaaaaaaaaaa.',
    'eyJaaaaaaaaa-eyJ',
    'ghp_',
    'AKIA',
    'AIza',
    'SG.aaaaaaaaaaaaaaaaaaaa.',
  ],
  ...[
    '12345678:AA',
    '://',
    '://a:',
    'a://b:c@',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----',
    '-----END PRIVATE KEY-----',
  ],
  ...[
    'bearer ',
    'authorization: ',
    'authorization: bearer ',
    'key ',
    'api key: ',
    'api_key=',
    'secret_access_key_',
  ],
  ...[
    'password',
    'password ',
    'password:',
    'password: ',
    'password="',
    'my password is ',
    'password for a b c ',
    'pw ',
  ],
  ...[
    'pass: ',
    'passphrase: ab cd ',
    'is my password ',
    'a is my code ',
    '1234 is my code ',
    'code is ',
    'my a b pin ',
  ],
  ...['pin ', 'PIN', 'otp ', 'login code 118922 ', 'ssn: 078-', 'cvv ', '密码', '密码是', '密码是 '],
  ...[
    '. ',
    '. a',
    'a. ',
    'Mr. ',
    '.)',
    '.”',
    '[1] ',
    '[a: ',
    '[a: b] ',
    '- ',
    '> - ',
    '1. ',
    'x: ',
    'x: \n',
    'a\n',
    '<a>\n',
  ],
  ...[
    '2023-05-08 ',
    'Gina has a dog. ',
    'Gina has a dog.\n',
    '; score 1; from ',
    'a: ; score 1',
    'a b c d:\n',
  ],
  ...[
    '\u0301',
    'a\u0301',
    '\u0316\u0300',
    'か\u3099\u0316',
    '\ufdfa',
    '\ufdfaa',
    '\u200b',
    '\ud800',
    '\u{1F600}',
    '猫。',
  ],
  ...['plan ', 'plan b plan', 'planb '],
];

const longest = (text: string): string =>
  text.repeat(Math.ceil(MAX_CONTENT_LENGTH / text.length)).slice(0, MAX_CONTENT_LENGTH);

const IN_TIER = REPEATED.filter((_, at) => at % inTier({ fast: 8, slow: 1 }) === 0);

describe.each(IN_TIER.map((text) => [JSON.stringify(text), longest(text)]))(
  'the longest turn, made of %s',
  (_what, text) => {
    // Quadratic time would take minutes and exceed the time limit of the test.
    it('is admitted in linear time', () => {
      expect(redactSecrets(text).text.length).toBeGreaterThan(0);
      expect(compileNeverRemember(['plan b', 'a a a a a a a b', /nothing/])([text])).toBe(
        text.startsWith('plan b') ? 0 : null,
      );
      const texts = new RecalledTexts();
      texts.add('fact', 'Gina has a dog.', row(1));
      texts.add('turn', text, row(1));
      const { share } = maskRecalled({ content: text, role: 'user', ...row(2) }, texts);
      expect(share >= 0 && share <= 1).toBe(true);
    });
  },
);
