import { describe, expect, it } from 'vitest';
import { InlineCode } from '../../../../src/ingest/extract/local/inline-code.ts';
import { LocalExtractor } from '../../../../src/ingest/extract/local/local-extractor.ts';

const validAt = Date.UTC(2026, 3, 6, 10);

async function read(content: string) {
  const unit = [{ content, speaker: 'Ines', role: 'user' as const, validAt, attachments: [] }];
  const { facts, entities } = await new LocalExtractor().extract(unit, { known: () => false });
  return { facts: facts.map(({ statement }) => statement), names: entities.map(({ name }) => name) };
}

describe('code and links in facts', () => {
  it.each([
    [
      'I deploy with `npm run build && npm publish --tag next` every Friday.',
      'Ines deploys with `npm run build && npm publish --tag next` every Friday',
    ],
    [
      'I use the function `parse_config(path, *, strict=True)` for settings.',
      'Ines uses the function `parse_config(path, *, strict=True)` for settings',
    ],
    ['I prefer `const` over `let`, and never `var`.', 'Ines prefers `const` over `let`, and never `var`'],
    [
      'Our API lives at `https://api.example.com/v2?limit=10`.',
      "Ines's API lives at `https://api.example.com/v2?limit=10`",
    ],
    [
      'I keep my ideas under [[Ideas#2026|ideas]] in Obsidian.',
      "Ines keeps Ines's ideas under ideas in Obsidian",
    ],
    [
      'My sister [[People/Ana Silva|Ana]] works at [[Low Tide Studio]].',
      "Ines's sister Ana works at Low Tide Studio",
    ],
  ])('are kept whole: %s', async (said, statement) => {
    expect((await read(said)).facts).toContain(statement);
  });

  it('names no stand-in', async () => {
    const { facts, names } = await read(
      'I love `zod`. `zod` checks my forms. `var` is ugly, and ``a `b` c`` is odd.',
    );
    expect([...facts, ...names].join(' ')).not.toMatch(/qz\w+qx/i);
  });

  it('states nothing of what stands in a block', async () => {
    expect((await read('```\nI live in `Rome`.\n```')).facts).toEqual([]);
  });
});

it('a text without code, and code that is too long, stay', () => {
  const code = new InlineCode();
  const long = `\`${'x'.repeat(200)}\``;
  for (const text of ['No code.', 'A lone ` mark.', long, '```\na `b`\n```'])
    expect(code.hide(text)).toBe(text);
});

it('gives each of many spans back as it was, and leaves those beyond', () => {
  const code = new InlineCode();
  const text = Array.from({ length: 600 }, (_, at) => `\`code ${at}\``).join(' and ');
  const hidden = code.hide(text);
  expect(hidden).toContain('`code 599`');
  const fact = { statement: hidden, subject: null, object: null, participants: [] };
  const shown = code.shownIn({ entities: [], facts: [fact as never] });
  expect(shown.facts[0]!.statement).toBe(text);
});
