import { describe, expect, it } from 'vitest';
import { maskRecalled } from '../../../src/ingest/admit/mask-recalled.ts';
import { RecalledTexts } from '../../../src/ingest/admit/recalled-texts.ts';
import { ROLES, type Role } from '../../../src/model/nodes.ts';

/** A row that was stored then. */
const row = (createdAt: number) => ({ createdAt, id: '' });
const texts = new RecalledTexts();
texts.add('fact', 'Gina lost her job at Door Dash', row(1));
texts.add('fact', 'Gina sang', row(1));
texts.add('fact', 'Jon opened a dance studio in June 2023 (20 June 2023)', row(1));
texts.add('profile', 'Gina sells clothes online. Gina has a dog.', row(1));
texts.add(
  'segment',
  'Gina and Jon talked about a store on 8 May 2023. Gina lost her job at Door Dash.',
  row(1),
);
texts.add('turn', 'Hey Jon! I lost my job at Door Dash this month. Yes. What a week that was for me', row(1));
texts.add('turn', 'I bought three things:\napples\na red lamp for the hall', row(1));
texts.add('turn', 'a photo of a dog on a beach', row(1));

const mask = (content: string, role: Role = 'assistant') => maskRecalled({ content, role, ...row(2) }, texts);

const MACHINES: readonly Role[] = ['assistant', 'tool', 'system'];
const PEOPLE: readonly Role[] = ['user', 'other'];

describe('maskRecalled', () => {
  it.each(MACHINES)('removes a recalled statement from text of a %s, and keeps the rest', (role) => {
    expect(mask('Gina lost her job at Door Dash. Today she found a new one.', role)).toEqual({
      content: 'Today she found a new one.',
      share: 7 / 13,
    });
  });

  it.each([
    '- Gina lost her job at Door Dash.',
    '* **Gina lost her job at Door Dash**',
    '12. Gina lost her job at Door Dash.',
    '  3) [1] Gina lost her job at Door Dash.',
    'Gina lost her job at Door Dash. [1]',
    '2023-05-08 Gina lost her job at Door Dash',
    '2023-05-08T10:00:00Z – Gina lost her job at Door Dash',
    '8 May 2023 – Gina lost her job at Door Dash',
    '(May 8, 2023) Gina lost her job at Door Dash',
    'Memory: “Gina lost her job at Door Dash.”',
    '“Gina lost her job at Door Dash.” [1] Jon opened a dance studio in June 2023 (20 June 2023). [2]',
    'Gina (person, seller): Gina sells clothes online. Gina has a dog.',
    'Gina and Jon talked about a store on 8 May 2023.\nGina sells clothes online.',
    '<memory>\nGina lost her job at Door Dash\n\nGina has a dog.\n</memory>',
  ])('recognises recalled text of every speaker: %s', (content) => {
    for (const role of ROLES) expect(mask(content, role), role).toEqual({ content: '', share: 1 });
  });

  it.each(PEOPLE)('lets a %s repeat a recalled statement, but not many lines of them', (role) => {
    const said = 'gina LOST her  job at door dash';
    expect(mask(said, role)).toEqual({ content: said, share: 0 });
    expect(mask(`${said}\nGina has a dog.`, role)).toEqual({ content: '', share: 1 });
    for (const machine of MACHINES) expect(mask(said, machine), machine).toEqual({ content: '', share: 1 });
  });

  it('masks recalled text from machines, and from people only if it looks pasted', () => {
    const said = 'I lost my job at Door Dash this month.';
    for (const role of ['assistant', 'tool', 'system'] as const) expect(mask(said, role).share).toBe(1);
    for (const role of ['user', 'other'] as const) {
      expect(mask(said, role)).toEqual({ content: said, share: 0 });
      for (const pasted of [`Gina: “${said}”`, `1. ${said}`, `${said} [2]`, `2023-05-08 Gina: ${said}`])
        expect(mask(pasted, role), pasted).toEqual({ content: '', share: 1 });
    }
  });

  it('does not read a self-introduction as a speaker label', () => {
    const content = 'Here is what I thought of it, to be honest: I lost my job at Door Dash this month.';
    expect(mask(content, 'user').share).toBe(0);
  });

  it('keeps short lines, unless they are next to a recalled one', () => {
    expect(mask('Yes.')).toEqual({ content: 'Yes.', share: 0 });
    expect(mask('Gina has')).toEqual({ content: 'Gina has', share: 0 });
    expect(mask('Yes. I lost my job at Door Dash this month.')).toEqual({ content: '', share: 1 });
    expect(mask('- Gina has a dog.\n- Yes.', 'user')).toEqual({ content: '', share: 1 });
    expect(mask('Gina sang', 'user').share).toBe(0);
    expect(mask('Gina has a dog.\n\nGina sang').share).toBe(1);
    expect(mask('Gina sang\n\nGina has a dog.').share).toBe(1);
    expect(mask('No. I lost my job at Door Dash this month.')).toEqual({ content: 'No.', share: 9 / 10 });
  });

  it('requires whole sentences', () => {
    for (const near of [
      'Gina lost her job at Door Dash yesterday.',
      'Gina never lost her job at Door Dash.',
      'lost her job at Door Dash',
      'Gina lost her job at Door',
      'Gina lost her job at Door Dash, so she sells clothes.',
    ])
      expect(mask(near)).toEqual({ content: near, share: 0 });
  });

  it('recognises a pasted turn of several lines, complete or joined into one', () => {
    const lines = 'Gina: I bought three things:\napples\na red lamp for the hall';
    expect(mask(lines, 'user')).toEqual({ content: '', share: 1 });
    expect(mask('2023-05-08 Gina: I bought three things: apples a red lamp for the hall', 'user').share).toBe(
      1,
    );
  });

  it('recognises an attachment after a turn', () => {
    const turn = 'Gina: Hey Jon! I lost my job at Door Dash this month. [photo: a photo of a dog on a beach]';
    expect(mask(turn, 'user')).toEqual({ content: '', share: 1 });
    expect(mask('Gina: “[photo: a photo of a dog on a beach]” [1]', 'user').share).toBe(1);
  });

  it('recognises truncated lines if at least eight words match', () => {
    const cut = '4. 2023-05-08 Gina: Hey Jon! I lost my job at Door Dash this mon…';
    expect(mask(cut, 'user')).toEqual({ content: '', share: 1 });
    expect(mask('4. Gina: Hey Jon! I lost my job at Door Dash this month. What a w…', 'user').share).toBe(1);
    expect(mask('4. Gina: I lost my job at Door Trash this mon…', 'user').share).toBe(0);
    expect(mask('4. Gina: I lost my job…', 'user').share).toBe(0);
    // A line that was not printed may end in dots of its own.
    expect(mask('I lost my job at Door Dash this year and then…').share).toBe(0);
    // Only the end of a line is truncated.
    expect(mask('[1] I lost my job at Door Dash this year… We won a prize today.').share).toBe(0);
  });

  it('keeps the layout of the remaining text', () => {
    const content = [
      'Hello there,',
      '',
      '- Gina lost her job at Door Dash',
      '- She starts as a baker on Monday',
      '',
      '1. Gina has a dog.',
      '',
      '    code stays as it is',
    ].join('\n');
    expect(mask(content, 'user').content).toBe(
      ['Hello there,', '', '- She starts as a baker on Monday', '', '    code stays as it is'].join('\n'),
    );
  });

  it('removes announcements of recalled lines, from machines', () => {
    const content = 'Here is what I remember about Gina:\n\n- Gina has a dog.\n- She paints.';
    expect(mask(content, 'system').content).toBe('- She paints.');
    expect(mask(content, 'user').content).toBe('Here is what I remember about Gina:\n\n- She paints.');
  });

  it('rejects a turn if no word remains', () => {
    expect(mask('— “Gina lost her job at Door Dash!” 🙂 [1] [2]').content).toBe('');
  });

  it('does not change a turn without recalled lines', () => {
    for (const content of ['', ' \n\n x ', '…', 'Gina has a cat.\r\n\r\n'])
      expect(mask(content)).toEqual({ content, share: 0 });
    expect(
      maskRecalled({ content: 'Gina has a dog.', role: 'tool', ...row(2) }, new RecalledTexts()).share,
    ).toBe(0);
  });

  it('ignores texts that were stored after the turn', () => {
    const own = new RecalledTexts();
    own.add('fact', 'Gina lost her job at Door Dash', row(10));
    const shareAt = (createdAt: number) =>
      maskRecalled({ content: 'Gina lost her job at Door Dash', role: 'tool', ...row(createdAt) }, own).share;
    expect([9, 10, 11].map(shareAt)).toEqual([0, 0, 1]);
  });
});
