import { describe, expect, it } from 'vitest';
import { filledLab } from './fake-terminal.ts';
import { groupedLab } from './grouped-lab.ts';

interface Node {
  readonly name: string;
  readonly layer: number;
  readonly entities: number;
  readonly summary?: string;
  readonly children: readonly Node[];
  readonly more: number;
}

const lab = await groupedLab();

describe('mnemis tree', () => {
  it('prints categories, the largest first, with their content', async () => {
    const { exitCode, out, err } = await lab.run('tree');
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toBe(
      [
        'Food (5)\n  Dishes (3)\n    pasta\n    pizza\n    soup\n  bread\n  cheese',
        'Animals (4)\n  cat\n  dog\n  parrot\n  rabbit',
        'Instruments (4)\n  guitar\n  piano\n  violin\n  zither',
        'Ana\n',
      ].join('\n'),
    );
  });

  it('prints the same as one JSON document', async () => {
    const run = await lab.run('tree', '--json');
    const { scope, tree } = run.json<{ scope: string; tree: Node[] }>();
    expect(scope).toBe('default');
    expect(tree.map(({ name, layer, entities }) => [name, layer, entities])).toEqual([
      ['Food', 2, 5],
      ['Animals', 1, 4],
      ['Instruments', 1, 4],
      ['Ana', 0, 0],
    ]);
    expect(tree[0]!.children.map(({ name }) => name)).toEqual(['Dishes', 'bread', 'cheese']);
    expect(run.out).not.toContain('summary');
  });

  it('shows one category, by name in any case and number, or by id', async () => {
    expect((await lab.run('tree', 'animal')).out).toBe('Animals (4)\n  cat\n  dog\n  parrot\n  rabbit\n');
    expect((await lab.run('tree', 'CAT')).out).toBe('cat  in Animals\n');
    const { tree } = (await lab.run('tree', 'Food', '--json')).json<{ tree: (Node & { id: string })[] }>();
    expect((await lab.run('tree', tree[0]!.id)).out).toMatch(/^Food \(5\)\n {2}Dishes/);
  });

  it('names what has no category last', async () => {
    const said = ['bought a dog', 'bought a cat', 'bought a hamster', 'have a visa requirement'];
    const turns = [...said, 'have a larger quantity'].map((what, index) => {
      return { content: `I ${what}.`, speaker: 'Ana', session: 's', index, at: '2024-01-05' };
    });
    const scope = ['--scope', 'rest'];
    await lab.run('import', lab.file('rest.jsonl', turns), '--format', 'jsonl', ...scope);
    const pets = 'Pets (3)\n  cat\n  dog\n';
    expect((await lab.run('tree', ...scope)).out).toBe(
      `${pets}  hamster\nAna\nlarger quantity\nvisa requirement\n`,
    );
    expect((await lab.run('tree', '--limit', '2', ...scope)).out).toBe(
      `${pets}  and 1 more\nAna\nand 2 more\n`,
    );
  });

  it('keeps to the requested depth and limit', async () => {
    expect((await lab.run('tree', '--depth', '0')).out).toBe('Food (5)\nAnimals (4)\nInstruments (4)\nAna\n');
    const { out } = await lab.run('tree', 'Food', '--depth', '1', '--limit', '2');
    expect(out).toBe('Food (5)\n  Dishes (3)\n  bread\n  and 1 more\n');
    const top = await lab.run('tree', '--depth', '0', '--limit', '3');
    expect(top.out).toBe('Food (5)\nAnimals (4)\nInstruments (4)\nand 1 more\n');
    const cut = (await lab.run('tree', 'Animals', '--limit', '1', '--json')).json<{ tree: Node[] }>();
    expect(cut.tree[0]).toMatchObject({ more: 3, children: [{ name: 'cat' }] });
    expect((await lab.run('tree', '--limit', 'many')).exitCode).toBe(2);
  });

  it('prints the summary of each category', async () => {
    const { out } = await lab.run('tree', 'Animals', '--summaries');
    expect(out).toMatch(/^Animals \(4\)\n {2}[^\n]*Ana bought a parrot[^\n]*\n {2}cat\n/);
    const { tree } = (await lab.run('tree', '--summaries', '--json')).json<{ tree: Node[] }>();
    expect(tree[1]!.summary).toContain('Ana bought a parrot');
  });

  it('says when there is nothing, and what to do', async () => {
    await lab.run('add', 'I bought a parrot.', '--scope', 'raw', '--no-enrich');
    const run = await lab.run('tree', '--scope', 'raw');
    expect(run).toMatchObject({ exitCode: 0, err: '' });
    expect(run.out).toBe(
      'Scope "raw" has no entities yet; "mnemis import" or "mnemis resume" reads turns for facts and entities.\n',
    );
    expect((await lab.run('tree', '--scope', 'raw', '--json')).json()).toEqual({
      scope: 'raw',
      tree: [],
      more: 0,
    });
  });

  it('fails for a missing category', async () => {
    const run = await lab.run('tree', 'Spaceships');
    expect(run.exitCode).not.toBe(0);
    expect(run.err).toContain('There is no category or entity named "Spaceships"');
    expect((await lab.run('tree', 'Spaceships', '--json')).json()).toMatchObject({
      error: { code: 'invalid-input' },
    });
  });
});

it('a memory of few turns is printed as usual', async () => {
  using few = await filledLab();
  const { exitCode, out } = await few.run('tree');
  expect(exitCode).toBe(0);
  for (const name of ['Miso', 'Lisbon', 'kiln']) expect(out).toContain(name);
});
