import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  EmbeddingMismatchError,
  InvalidChangeError,
  ScopeViolationError,
  StoreClosedError,
} from '../../src/errors/index.ts';
import type { GraphChanges, RowUpdate } from '../../src/model/graph-changes.ts';
import { type Episode, NODE_KINDS, type NodeKind, type NodeRows } from '../../src/model/nodes.ts';
import { RELATIONSHIP_KINDS, type Relationship } from '../../src/model/relationships.ts';
import { unlinkKey } from '../../src/store/change-check.ts';
import type { GraphStore, ScopeState } from '../../src/store/graph-store.ts';
import { HELD_IN_MEMORY } from '../../src/store/scope-search.ts';
import {
  category,
  changedColumns,
  clearedColumns,
  correction,
  description,
  edge,
  embedding,
  entity,
  episode,
  fact,
  failure,
  hierarchy,
  item,
  profile,
  rowsWithCodes,
  rowsWithText,
  scopeOf,
  segment,
  tombstone,
} from './graph-rows.ts';

const A = scopeOf('a');
const B = scopeOf('b');

const TEXTS: Readonly<Record<string, string>> = {
  empty: '',
  spaces: '  \t ',
  accents: 'naïve café e\u0301',
  cjk: '記憶は一つのグラフに 你好 한국어',
  emoji: '👩‍👩‍👧‍👦 🏳️‍🌈 \u{1F9E0}',
  'right to left': 'שלום \u202e عربى',
  quotes: `it's "quoted" \`so\``,
  backslashes: 'C:\\new\\table \\u0041 \\',
  newlines: 'a\nb\r\nc\u2028d',
  'NUL characters': 'a\u0000b\u0000',
  'a NUL first': '\u0000n',
  'looks escaped': '\u0000j"x"',
  'looks cut': '\u0000p3',
  controls: '\u0001\u001f\u007f\ufeff',
  'a lone surrogate': 'a\ud83db',
  parameters: '$ids {x: 1} // */ ;',
  'json null': 'null',
  number: '0012.50',
  'just over a piece': 'é'.repeat(501),
  'cut inside emoji': `a${'😀'.repeat(600)}`,
};

interface ContractOptions {
  /** Whether two scopes may have rows of one id: a store distributed by scope cannot compare them. Default false. */
  readonly idsArePerScope?: boolean;
}

/** What every GraphStore does. `open` gives a fresh, empty store; it is closed after each case. */
export function graphStoreContract(
  name: string,
  open: () => Promise<GraphStore>,
  { idsArePerScope = false }: ContractOptions = {},
): void {
  describe(`${name}: the GraphStore contract`, () => {
    let store: GraphStore;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    describe('commits', () => {
      it('number themselves per scope from 1', async () => {
        expect(await store.state(A)).toEqual({ sequence: 0, token: 0 });
        expect(await store.commit(A, { nodes: { entity: [entity('x')] } })).toBe(1);
        expect(await store.commit(A, {})).toBe(2);
        expect(await store.commit(B, {})).toBe(1);
        expect((await store.state(A)).sequence).toBe(2);
        expect(await store.scopes()).toEqual([A, B]);
      });

      it('each bring a new token, in their own scope, unless they fail', async () => {
        const tokens = new Set<number>();
        for (let i = 1; i <= 20; i += 1) {
          await store.commit(A, i === 1 ? { nodes: { entity: [entity('x')] } } : {});
          const { sequence, token } = await store.state(A);
          expect([sequence, Number.isSafeInteger(token), token > 0 && token <= 2 ** 52]).toEqual([
            i,
            true,
            true,
          ]);
          tokens.add(token);
        }
        expect(tokens.size).toBe(20);
        const before = await store.state(A);
        await store.commit(B, {});
        await expect(store.commit(A, { nodes: { entity: [entity('x')] } })).rejects.toThrow();
        expect(await store.state(A)).toEqual(before);
        expect((await store.state(B)).token).not.toBe(before.token);
      });

      it('run one after another when asked for at once', async () => {
        const sequences = await Promise.all(
          Array.from({ length: 50 }, (_, i) =>
            store.commit(A, {
              nodes: { episode: [episode(`e${i}`)], entity: [entity(`n${i}`)] },
              relationships: [edge('MENTIONS', `e${i}`, `n${i}`)],
            }),
          ),
        );
        expect(sequences.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
        expect((await edges(store, A, 'MENTIONS')).length).toBe(50);
      });

      it('take what the arrays held when they were asked for', async () => {
        const vector = Float32Array.of(1, 2);
        const rows = [entity('x')];
        const done = store.commit(A, { nodes: { embedding: [embedding('v', { vector })], entity: rows } });
        vector[0] = 9;
        rows.push(entity('y'));
        await done;
        expect([...(await store.get(A, 'embedding', ['v']))[0]!.vector]).toEqual([1, 2]);
        expect(await store.get(A, 'entity', ['x', 'y'])).toEqual([entity('x')]);
      });

      it('write 10,000 rows and edges', async () => {
        const ids = Array.from({ length: 5000 }, (_, i) => `e${i}`);
        await store.commit(A, {
          nodes: { episode: ids.map((id) => episode(id)), entity: ids.map((id) => entity(id)) },
          relationships: ids.map((id, i) => edge('MENTIONS', id, ids[(i * 7) % 5000]!)),
        });
        const scanned = await rowsOf(store, A, 'episode');
        expect(new Set(scanned.map((row) => row.id)).size).toBe(5000);
        expect((await store.get(A, 'episode', ids)).map((row) => row.id)).toEqual(ids);
        expect((await edges(store, A, 'MENTIONS')).length).toBe(5000);
        expect((await edges(store, A, 'MENTIONS', { from: ids.slice(0, 300) })).length).toBe(300);
        expect((await store.count(A)).episode).toBe(5000);
      });
    });

    describe('rows come back as they were', () => {
      it('with 250,000 characters in every text', async () => {
        const text = 'Ein Gedächtnis 記憶 🧠 '.repeat(12_000).slice(0, 250_000);
        const rows = rowsWithText(text, ['text', 'json']);
        await store.commit(A, { nodes: rows });
        await expectRows(store, A, rows);
      });

      it('with extreme numbers and times', async () => {
        const far = Number.MAX_SAFE_INTEGER - 1;
        const rows = {
          episode: [
            episode('low', { validAt: -far, createdAt: -1, index: 0, expiredAt: 0, version: 1 }),
            episode('high', { validAt: far, createdAt: far, index: 1e9, expiredAt: far, version: far }),
          ],
          fact: [0, 1, 0.1 + 0.2, 5e-324, 1 - Number.EPSILON, Number.MAX_VALUE, -0.5].map((confidence, i) =>
            fact(`f${i}`, { confidence, validAt: -far, invalidAt: far }),
          ),
        };
        await store.commit(A, { nodes: rows });
        await expectRows(store, A, rows);
      });

      it('with every value of every list', async () => {
        const rows = rowsWithCodes();
        await store.commit(A, { nodes: rows });
        await expectRows(store, A, rows);
      });

      it('of every kind of relationship', async () => {
        const all = everyRelationship();
        await store.commit(A, { nodes: everyNode(), relationships: all });
        for (const kind of RELATIONSHIP_KINDS) {
          const found = (await edges(store, A, kind)).map(plain);
          const wanted = all.filter((one) => one.kind === kind).map(plain);
          expect(found.toSorted(byJson)).toEqual(wanted.toSorted(byJson));
        }
      });
    });

    describe('reads', () => {
      it('get in the order asked, repeated ids too, unknown ids left out', async () => {
        await store.commit(A, { nodes: { entity: ['x', 'y', 'z'].map((id) => entity(id)) } });
        const ids = (await store.get(A, 'entity', ['z', 'nobody', 'x', 'z'])).map((row) => row.id);
        expect(ids).toEqual(['z', 'x', 'z']);
        expect(await store.get(A, 'entity', [])).toEqual([]);
        const many = Array.from({ length: 100 }, (_, i) => `no${i}`);
        expect((await store.get(A, 'entity', [...many, 'y'])).map((row) => row.id)).toEqual(['y']);
      });

      it('filters relationships by their ends', async () => {
        await store.commit(A, { nodes: everyNode(), relationships: everyRelationship() });
        expect((await edges(store, A, 'NEXT', { from: ['e1'] })).map((one) => one.to)).toEqual(['e2']);
        expect((await edges(store, A, 'NEXT', { to: ['e1'] })).length).toBe(0);
        expect((await edges(store, A, 'NEXT', { to: ['e2'], from: ['e1', 'e2'] })).length).toBe(1);
        expect((await edges(store, A, 'NEXT', { to: ['e3'], from: ['e1'] })).length).toBe(0);
        expect(await edges(store, A, 'NEXT', { from: [] })).toEqual([]);
        expect(await edges(store, A, 'NEXT', { to: [] })).toEqual([]);
        expect(
          (await edges(store, A, 'EVIDENCED_BY', { to: ['e1'] })).map((one) => one.fromKind).sort(),
        ).toEqual(['description', 'fact']);
        const many = Array.from({ length: 60 }, (_, i) => `no${i}`);
        expect((await edges(store, A, 'NEXT', { from: [...many, 'e1', 'e1'] })).length).toBe(1);
        expect((await edges(store, A, 'NEXT', { to: [...many, 'e2'] })).length).toBe(1);
      });

      it('reads some fields of every row', async () => {
        const long = 'x'.repeat(5_000);
        await store.commit(A, { nodes: { episode: [episode('e1', { content: long }), episode('e2')] } });
        const rows = [];
        for await (const batch of store.scan(A, 'episode', ['id', 'content', 'attachments']))
          rows.push(...batch);
        expect(rows.map((row) => Object.keys(row).sort())).toEqual([
          ['attachments', 'content', 'id'],
          ['attachments', 'content', 'id'],
        ]);
        expect(rows.find((row) => row.id === 'e1')?.content).toBe(long);
      });

      it('may stop early', async () => {
        const ids = Array.from({ length: 2500 }, (_, i) => `e${i}`);
        await store.commit(A, { nodes: { entity: ids.map((id) => entity(id)) } });
        for await (const rows of store.scan(A, 'entity')) {
          expect(rows.length).toBeGreaterThan(0);
          break;
        }
        await store.commit(A, {});
      });

      it('sees the newest version of a key', async () => {
        await store.commit(A, {
          nodes: {
            episode: [episode('e1', { key: 'k', session: 's', index: 4, source: 'x', sourceId: 'i' })],
          },
        });
        expect((await store.episodesByKey(A, ['k', 'other'])).get('k')?.id).toBe('e1');
        await store.commit(A, {
          nodes: {
            episode: [
              episode('e2', {
                key: 'k',
                version: 2,
                session: 's',
                index: 4,
                source: 'x',
                sourceId: 'i',
                createdAt: 1,
              }),
            ],
          },
          updates: [{ kind: 'episode', id: 'e1', set: { expiredAt: 5 } }],
        });
        const found = await store.episodesByKey(A, ['k', 'other']);
        expect([...found.keys()]).toEqual(['k']);
        expect(found.get('k')).toMatchObject({ id: 'e2', version: 2 });
        const references = [
          { session: 's', index: 4 },
          { source: 'x', sourceId: 'i' },
          { id: 'e1' },
          { id: 'e2' },
          { session: 's', index: 5 },
          { source: 'y', sourceId: 'i' },
        ];
        expect(await store.findEpisodes(A, references)).toEqual(['e2', 'e2', null, 'e2', null, null]);
        await store.commit(A, {
          updates: [{ kind: 'episode', id: 'e1', set: { expiredAt: null } }],
          removals: [{ kind: 'episode', id: 'e2' }],
        });
        expect(await store.findEpisodes(A, references)).toEqual(['e1', 'e1', 'e1', null, null, null]);
        expect((await store.episodesByKey(A, ['k'])).get('k')?.expiredAt).toBeNull();
      });

      it('prefers the higher version, then the later row, among turns of one place', async () => {
        await store.commit(A, {
          nodes: {
            episode: [
              episode('e1', { key: '1', createdAt: 9 }),
              episode('e2', { key: '2', createdAt: 7, version: 2 }),
              episode('e3', { key: '3', createdAt: 8, version: 2 }),
            ],
          },
        });
        expect(await store.findEpisodes(A, [{ session: 'main', index: 0 }])).toEqual(['e3']);
      });

      it('are found as before when the scope was let go, between commits and while one is under way', async () => {
        const references = [{ id: 'e1' }, { session: 'main', index: 0 }, { id: 'e2' }];
        await store.commit(A, { nodes: { episode: [episode('e1', { key: '1' })] } });
        expect(await store.findEpisodes(A, references)).toEqual(['e1', 'e1', null]);
        store.dropCaches(A);
        expect(await store.findEpisodes(A, references)).toEqual(['e1', 'e1', null]);
        const committing = store.commit(A, {
          nodes: { episode: [episode('e2', { key: '1', version: 2 })] },
          updates: [{ kind: 'episode', id: 'e1', set: { expiredAt: 4 } }],
        });
        store.dropCaches(A);
        const finding = store.findEpisodes(A, references);
        store.dropCaches(A);
        await committing;
        await finding;
        expect(await store.findEpisodes(A, references)).toEqual([null, 'e2', 'e2']);
        expect((await store.episodesByKey(A, ['1'])).get('1')?.id).toBe('e2');
      });

      it('holds a small scope in memory', async () => {
        expect(await store.openSearch(A, { model: 'one', dimension: 3 })).toEqual(HELD_IN_MEMORY);
      });

      it('counts what is there', async () => {
        const zero = Object.fromEntries(NODE_KINDS.map((kind) => [kind, 0]));
        expect(await store.count(A)).toEqual(zero);
        await store.commit(A, { nodes: { entity: [entity('x'), entity('y')], fact: [fact('f')] } });
        await store.commit(A, { removals: [{ kind: 'entity', id: 'x' }] });
        expect(await store.count(A)).toEqual({ ...zero, entity: 1, fact: 1 });
        expect(await store.count(B)).toEqual(zero);
      });
    });

    describe('changes', () => {
      it('update the columns that may change', async () => {
        const rows = everyNode();
        await store.commit(A, { nodes: rows });
        for (const set of [changedColumns, clearedColumns]) {
          const updates = NODE_KINDS.flatMap((kind) =>
            rows[kind].map(({ id }) => ({ kind, id, set: set(kind) })),
          );
          await store.commit(A, {
            updates: updates.filter(({ set }) => Object.keys(set).length > 0) as readonly RowUpdate[],
          });
          for (const kind of NODE_KINDS)
            expect(await store.get(A, kind, idsOf(rows[kind]))).toEqual(
              rows[kind].map((row) => ({ ...row, ...changedColumns(kind), ...set(kind) })),
            );
        }
        await store.commit(A, { updates: [{ kind: 'fact', id: 'f2', set: {} }] });
      });

      it('update a row that the same change brings', async () => {
        await store.commit(A, {
          nodes: { fact: [fact('f')] },
          updates: [{ kind: 'fact', id: 'f', set: { expiredAt: 3 } }],
        });
        expect(await store.get(A, 'fact', ['f'])).toEqual([fact('f', { expiredAt: 3 })]);
      });

      it('update many rows at once, each with its own columns and values', async () => {
        const ids = Array.from({ length: 500 }, (_, i) => `e${i}`);
        await store.commit(A, {
          nodes: { episode: ids.map((id) => episode(id)), fact: ids.map((id) => fact(id)) },
        });
        await store.commit(B, { nodes: { episode: [episode('be')] } });
        const gates = ['kept', 'dropped'] as const;
        const wanted = (i: number): Partial<Episode> =>
          i % 5 === 0
            ? { verified: true, gate: gates[i % 2]! }
            : {
                gate: gates[i % 2]!,
                status: 'extracted',
                verified: i % 3 === 0,
                ...(i > 400 && { expiredAt: i }),
              };
        await store.commit(A, {
          updates: [
            ...ids.map((id, i) => ({ kind: 'episode', id, set: wanted(i) }) as const),
            ...ids.map(
              (id, i) => ({ kind: 'fact', id, set: { invalidAt: i % 7 === 0 ? null : -i } }) as const,
            ),
          ],
        });
        expect(await store.get(A, 'episode', ids)).toEqual(ids.map((id, i) => episode(id, wanted(i))));
        expect(await store.get(A, 'fact', ids)).toEqual(
          ids.map((id, i) => fact(id, { invalidAt: i % 7 === 0 ? null : -i })),
        );
        expect(await store.get(B, 'episode', ['be'])).toEqual([episode('be')]);
      });

      it('update a row that is named again: the last value of each column counts', async () => {
        const ids = Array.from({ length: 200 }, (_, i) => `f${i}`);
        await store.commit(A, { nodes: { fact: ids.map((id) => fact(id)) } });
        await store.commit(A, {
          updates: [1, 2, 3].flatMap((round) =>
            ids.map(
              (id) =>
                ({ kind: 'fact', id, set: round === 2 ? { invalidAt: 2 } : { expiredAt: round } }) as const,
            ),
          ),
        });
        expect(await store.get(A, 'fact', ids)).toEqual(
          ids.map((id) => fact(id, { invalidAt: 2, expiredAt: 3 })),
        );
      });

      describe('unlink', () => {
        beforeEach(async () => {
          await store.commit(A, { nodes: everyNode(), relationships: everyRelationship() });
        });

        it('nothing when the edge runs the other way', async () => {
          await store.commit(A, { unlinks: [edge('NEXT', 'e2', 'e1'), edge('POSSIBLY_SAME', 'n2', 'n1')] });
          expect(await allEdges(store)).toEqual(everyRelationship().toSorted(byJson));
        });

        it('and write the same edge anew in one commit', async () => {
          const rewritten = [
            edge('RELATED', 's1', 's2', { relation: 'causal', confidence: 0.25 }),
            edge('ABOUT', 'f1', 'n1', { role: 'participant' }),
            edge('NEXT', 'e1', 'e2'),
          ];
          await store.commit(A, { unlinks: rewritten, relationships: rewritten });
          const wanted = [...kept(everyRelationship(), ...rewritten), ...rewritten].toSorted(byJson);
          expect(await allEdges(store)).toEqual(wanted);
        });

        it('many at once, of several kinds, some of which are not there', async () => {
          const ids = Array.from({ length: 300 }, (_, i) => `m${i}`);
          const mentions = ids.map((id) => edge('MENTIONS', 'e3', id));
          const same = ids.map((id, i) => edge('POSSIBLY_SAME', id, 'n1', { confidence: i / 300 }));
          await store.commit(A, { nodes: { entity: ids.map((id) => entity(id)) }, relationships: mentions });
          await store.commit(A, { relationships: same });
          const anew = same.slice(100, 200).map((one) => ({ ...one, confidence: 1 }));
          await store.commit(A, {
            unlinks: [
              ...mentions.slice(50),
              ...same.slice(100),
              ...ids.map((id) => edge('MENTIONS', 'e2', id)),
            ],
            relationships: anew,
          });
          const wanted = [...everyRelationship(), ...mentions.slice(0, 50), ...same.slice(0, 100), ...anew];
          expect(await allEdges(store)).toEqual(wanted.toSorted(byJson));
        });

        it('and remove its ends', async () => {
          await store.commit(A, {
            unlinks: [edge('MENTIONS', 'e1', 'n1')],
            removals: [{ kind: 'episode', id: 'e1' }],
          });
          const wanted = everyRelationship().filter(({ from, to }) => from !== 'e1' && to !== 'e1');
          expect(await allEdges(store)).toEqual(wanted.toSorted(byJson));
        });

        it('takes what the arrays held when it was asked for', async () => {
          const unlinks = [edge('NEXT', 'e1', 'e2')];
          const done = store.commit(A, { unlinks });
          unlinks[0] = edge('MENTIONS', 'e1', 'n1');
          await done;
          expect(await allEdges(store)).toEqual(
            kept(everyRelationship(), edge('NEXT', 'e1', 'e2')).toSorted(byJson),
          );
        });

        it('is refused where an end is nobody, or comes with the same commit', async () => {
          const before = await everything(store, A);
          const attempts: GraphChanges[] = [
            { unlinks: [edge('MENTIONS', 'e1', 'nobody')] },
            { unlinks: [edge('MENTIONS', 'nobody', 'n1')] },
            { nodes: { entity: [entity('new')] }, unlinks: [edge('MENTIONS', 'e1', 'new')] },
          ];
          for (const changes of attempts)
            await expect(store.commit(A, changes)).rejects.toSatisfy(ScopeViolationError.isInstance);
          expect(await everything(store, A)).toEqual(before);
        });
      });

      it('remove a node with its relationships, long texts included', async () => {
        const long = 'long '.repeat(2000);
        await store.commit(A, {
          nodes: { ...everyNode(), description: [description('d1', { text: long })] },
          relationships: everyRelationship(),
        });
        await store.commit(A, {
          removals: [
            { kind: 'episode', id: 'e1' },
            { kind: 'description', id: 'd1' },
          ],
        });
        expect(await store.get(A, 'episode', ['e1', 'e2'])).toEqual([episode('e2')]);
        for (const kind of RELATIONSHIP_KINDS)
          for (const one of await edges(store, A, kind)) expect([one.from, one.to]).not.toContain('e1');
        await store.commit(A, {
          nodes: { episode: [episode('e1')], description: [description('d1', { text: long })] },
        });
        expect((await store.get(A, 'description', ['d1']))[0]?.text).toBe(long);
      });

      it('remove many nodes at once', async () => {
        const ids = Array.from({ length: 300 }, (_, i) => `n${i}`);
        await store.commit(A, {
          nodes: { entity: ids.map((id) => entity(id)), episode: [episode('e')] },
          relationships: ids.map((id) => edge('MENTIONS', 'e', id)),
        });
        await store.commit(A, { removals: ids.slice(0, 299).map((id) => ({ kind: 'entity', id }) as const) });
        expect((await edges(store, A, 'MENTIONS')).map((one) => one.to)).toEqual(['n299']);
        expect((await store.count(A)).entity).toBe(1);
      });
    });

    describe('the fingerprint', () => {
      it('is kept, and changes only without embeddings', async () => {
        expect(store.describe().fingerprint).toBeNull();
        await store.setFingerprint({ model: 'one', dimension: 2 });
        await store.setFingerprint({ model: 'two', dimension: 3 });
        await store.commit(A, { nodes: { embedding: [embedding('v')] } });
        await store.setFingerprint({ model: 'two', dimension: 3 });
        await expect(store.setFingerprint({ model: 'two', dimension: 4 })).rejects.toSatisfy(
          EmbeddingMismatchError.isInstance,
        );
        expect(store.describe().fingerprint).toEqual({ model: 'two', dimension: 3 });
        await store.commit(A, { removals: [{ kind: 'embedding', id: 'v' }] });
        await store.setFingerprint({ model: 'two', dimension: 4 });
        expect(store.describe().fingerprint).toEqual({ model: 'two', dimension: 4 });
      });
    });

    describe('a move to another embedder', () => {
      const ONE = { model: 'one', dimension: 2 };
      const TWO = { model: 'two', dimension: 3 };
      const madeBy = async (scope: string, model: string) => {
        const ids: string[] = [];
        for await (const rows of store.embeddings(scopeOf(scope), model, ['id']))
          ids.push(...rows.map(({ id }) => id));
        return ids.sort();
      };

      it('is recorded, adopted and ended', async () => {
        await store.setFingerprint(ONE);
        await expect(store.adoptNextFingerprint()).rejects.toSatisfy(InvalidChangeError.isInstance);
        expect(store.describe()).toMatchObject({ fingerprint: ONE, nextFingerprint: null });
        await store.setNextFingerprint({ model: 'third', dimension: 9 });
        await store.setNextFingerprint(TWO);
        expect(store.describe()).toMatchObject({ fingerprint: ONE, nextFingerprint: TWO });
        await store.adoptNextFingerprint();
        await store.adoptNextFingerprint();
        expect(store.describe()).toMatchObject({ fingerprint: TWO, nextFingerprint: TWO });
        await store.setNextFingerprint(null);
        await store.setNextFingerprint(null);
        expect(store.describe()).toMatchObject({ fingerprint: TWO, nextFingerprint: null });
      });

      it('is ended by another fingerprint, not by the same', async () => {
        await store.setFingerprint(ONE);
        await store.setNextFingerprint(TWO);
        await store.setFingerprint(ONE);
        expect(store.describe().nextFingerprint).toEqual(TWO);
        await store.setFingerprint({ model: 'third', dimension: 9 });
        expect(store.describe().nextFingerprint).toBeNull();
      });

      it('keeps rows of several embedders apart, of any name and length', async () => {
        const odd = `o"'\u0000\ud83d`;
        const vector = Float32Array.of(1, 2, 3);
        await store.commit(A, {
          nodes: {
            embedding: [
              embedding('a1', { model: 'one@2' }),
              embedding('a2', { model: 'two@3', vector }),
              embedding('a3', { model: odd }),
            ],
          },
        });
        await store.commit(B, { nodes: { embedding: [embedding('b1', { model: 'two@3' })] } });
        const rows = [];
        for await (const batch of store.embeddings(A, 'two@3', ['owner', 'field', 'vector']))
          rows.push(...batch);
        expect(rows).toEqual([{ owner: 'owner', field: 'content', vector }]);
        expect(await madeBy('a', odd)).toEqual(['a3']);
        expect(await madeBy('a', 'two')).toEqual([]);
        expect(await store.countEmbeddings(A)).toEqual(
          new Map([
            ['one@2', 1],
            ['two@3', 1],
            [odd, 1],
          ]),
        );
        expect(await store.countEmbeddings(scopeOf('nobody'))).toEqual(new Map());
      });

      it('removes the rows of one embedder, so many at a time, in commits', async () => {
        const rows = ['one@2', 'two@3'].flatMap((model) =>
          Array.from({ length: 120 }, (_, i) => embedding(`${model} ${i}`, { model })),
        );
        await store.commit(A, { nodes: { embedding: rows, entity: [entity('x')] } });
        await store.commit(B, { nodes: { embedding: [embedding('b1', { model: 'one@2' })] } });
        expect(await store.removeEmbeddings(A, 'one@2', 50)).toBe(50);
        expect((await store.state(A)).sequence).toBe(2);
        expect(await store.countEmbeddings(A)).toEqual(
          new Map([
            ['one@2', 70],
            ['two@3', 120],
          ]),
        );
        expect(await store.removeEmbeddings(A, 'one@2', 1000)).toBe(70);
        const before = await store.state(A);
        expect(await store.removeEmbeddings(A, 'one@2', 1000)).toBe(0);
        expect(await store.state(A)).toEqual(before);
        expect(await store.removeEmbeddings(scopeOf('nobody'), 'one@2', 10)).toBe(0);
        expect(await store.scopes()).toEqual([A, B]);
        expect((await madeBy('a', 'two@3')).length).toBe(120);
        expect(await madeBy('b', 'one@2')).toEqual(['b1']);
        expect((await store.count(A)).entity).toBe(1);
        await store.commit(A, { nodes: { embedding: [embedding('one@2 0', { model: 'one@2' })] } });
        expect(await madeBy('a', 'one@2')).toEqual(['one@2 0']);
      });
    });

    describe('close', () => {
      it('waits for what is under way, may be repeated, and ends all use', async () => {
        const pending = store.commit(A, { nodes: { entity: [entity('x')] } });
        const closing = store.close();
        expect(await pending).toBe(1);
        await closing;
        await store.close();
        const uses = [
          () => store.commit(A, {}),
          () => store.state(A),
          () => store.get(A, 'entity', ['x']),
          () => rowsOf(store, A, 'entity'),
          () => edges(store, A, 'NEXT'),
          () => store.episodesByKey(A, ['k']),
          () => store.findEpisodes(A, [{ id: 'x' }]),
          () => store.count(A),
          () => store.scopes(),
          () => store.setFingerprint({ model: 'm', dimension: 1 }),
          () => store.setNextFingerprint({ model: 'm', dimension: 1 }),
          () => store.adoptNextFingerprint(),
          () => store.embeddings(A, 'm', ['id'])[Symbol.asyncIterator]().next(),
          () => store.countEmbeddings(A),
          () => store.removeEmbeddings(A, 'm', 1),
        ];
        for (const use of uses) await expect(use()).rejects.toSatisfy(StoreClosedError.isInstance);
      });
    });
  });

  /** Cases that leave nothing behind share a store. */
  describe(`${name}: the GraphStore contract`, () => {
    describe('rows come back as they were', () => {
      let store: GraphStore;
      beforeAll(async () => {
        store = await open();
      });
      afterAll(() => store.close());
      const scopes = new Set<string>();

      it.each(Object.entries(TEXTS))('with text: %s', async (_, text) => {
        const rows = rowsWithText(text);
        const scope = scopeOf(`s${text}`);
        await store.commit(scope, { nodes: rows });
        await expectRows(store, scope, rows);
        scopes.add(scope);
        expect(await store.scopes()).toEqual([...scopes].sort());
        await clear(store, scope);
      });

      it.each([0, 1, 96, 97, 256, 384, 1536, 3072])(
        'with vectors of %i numbers, bit by bit',
        async (length) => {
          const random = new Uint32Array(length).map((_, i) => (i * 2_654_435_761) >>> 0);
          const vectors = [
            new Float32Array(random.buffer).map((x) => (Number.isNaN(x) ? 1 : x)),
            new Float32Array(length).fill(-0),
            Float32Array.of(0.1), // another length in the same commit
            new Float32Array(new ArrayBuffer(8 + length * 4), 8, length).fill(1e-45),
          ];
          await store.commit(A, {
            nodes: { embedding: vectors.map((vector, i) => embedding(`v${i}`, { vector })) },
          });
          const found = await store.get(A, 'embedding', ['v0', 'v1', 'v2', 'v3']);
          expect(found.map((row) => bits(row.vector))).toEqual(vectors.map(bits));
          await clear(store, A);
        },
      );
    });

    describe('unlink', () => {
      let store: GraphStore;
      beforeAll(async () => {
        store = await open();
        await store.commit(A, { nodes: everyNode(), relationships: everyRelationship() });
      });
      afterAll(() => store.close());

      it.each(everyRelationship().map((one) => [`${one.kind} ${one.from} ${one.to}`, one] as const))(
        '%s, all its roles, and nothing else; again is no error',
        async (_, one) => {
          const { kind, fromKind, from, toKind, to } = one;
          const wanted = kept(everyRelationship(), one);
          const before = await store.count(A);
          await store.commit(A, { unlinks: [{ kind, fromKind, from, toKind, to }] });
          expect(await allEdges(store)).toEqual(wanted.toSorted(byJson));
          await store.commit(A, { unlinks: [one, one] });
          expect(await allEdges(store)).toEqual(wanted.toSorted(byJson));
          expect(await store.count(A)).toEqual(before);
          // As the next case finds it.
          const gone = everyRelationship().filter((other) => unlinkKey(other) === unlinkKey(one));
          await store.commit(A, { relationships: gone });
          expect(await allEdges(store)).toEqual(everyRelationship().toSorted(byJson));
        },
      );
    });

    describe('keeps scopes apart:', () => {
      let store: GraphStore;
      beforeAll(async () => {
        store = await open();
        await store.commit(A, { nodes: everyNode(), relationships: everyRelationship() });
        await store.commit(B, {
          nodes: {
            episode: [episode('be', { key: 'kb', sourceId: 'i' })],
            entity: [entity('bn')],
            fact: [fact('bf')],
            category: [category('bc')],
            segment: [segment('bs')],
          },
        });
      });
      afterAll(() => store.close());

      const attempts: readonly (readonly [string, GraphChanges])[] = [
        ['an edge to its node', { relationships: [edge('MENTIONS', 'be', 'n1')] }],
        ['an edge from its node', { relationships: [edge('MENTIONS', 'e1', 'bn')] }],
        ['an edge between its nodes', { relationships: [edge('NEXT', 'e2', 'e1')] }],
        [
          'a new node tied to its node',
          { nodes: { fact: [fact('x')] }, relationships: [edge('ABOUT', 'x', 'n1', { role: 'subject' })] },
        ],
        ['an unlink of its edge', { unlinks: [edge('NEXT', 'e1', 'e2')] }],
        ['an unlink from its node', { unlinks: [edge('MENTIONS', 'e1', 'bn')] }],
        ['an unlink to its node', { unlinks: [edge('MENTIONS', 'be', 'n1')] }],
        ['an update', { updates: [{ kind: 'episode', id: 'e1', set: { expiredAt: 1 } }] }],
        ['a removal', { removals: [{ kind: 'episode', id: 'e1' }] }],
        [
          'a removal hidden among many',
          {
            removals: [
              { kind: 'entity', id: 'bn' },
              { kind: 'entity', id: 'n1' },
            ],
          },
        ],
        [
          'many edges, one of them to its node',
          {
            nodes: { entity: Array.from({ length: 60 }, (_, i) => entity(`bn${i}`)) },
            relationships: [
              ...Array.from({ length: 60 }, (_, i) => edge('MENTIONS', 'be', `bn${i}`)),
              edge('MENTIONS', 'be', 'n1'),
            ],
          },
        ],
        [
          'an edge to a node of the right id and the wrong kind',
          { relationships: [edge('MENTIONS', 'be', 'be')] },
        ],
        ['an update of nobody', { updates: [{ kind: 'fact', id: 'nobody', set: { expiredAt: 1 } }] }],
      ];

      it.each(attempts)('%s is refused', async (_, changes) => {
        const before = [await everything(store, A), await everything(store, B)];
        await expect(store.commit(B, changes)).rejects.toSatisfy(ScopeViolationError.isInstance);
        expect([await everything(store, A), await everything(store, B)]).toEqual(before);
      });

      it.runIf(idsArePerScope)('an id that the other has is kept apart', async () => {
        const before = await everything(store, A);
        const own = episode('e1', { content: 'of the other scope' });
        await store.commit(B, {
          nodes: { episode: [own], entity: [entity('n1')] },
          relationships: [edge('MENTIONS', 'e1', 'n1')],
          updates: [{ kind: 'episode', id: 'e1', set: { gate: 'kept' } }],
        });
        expect(await store.get(B, 'episode', ['e1'])).toEqual([{ ...own, gate: 'kept' }]);
        expect(await everything(store, A)).toEqual(before);
        await store.commit(B, {
          removals: [
            { kind: 'episode', id: 'e1' },
            { kind: 'entity', id: 'n1' },
          ],
        });
        expect(await everything(store, A)).toEqual(before);
      });

      it.skipIf(idsArePerScope)('an id that the other has is refused', async () => {
        await expect(store.commit(B, { nodes: { episode: [episode('e1')] } })).rejects.toSatisfy(
          InvalidChangeError.isInstance,
        );
        expect((await store.state(B)).sequence).toBe(1);
      });

      it('reads see their own', async () => {
        const rows = everyNode();
        for (const kind of NODE_KINDS) {
          expect(await store.get(B, kind, idsOf(rows[kind]))).toEqual([]);
          for (const row of await rowsOf(store, B, kind)) expect(row.id).toMatch(/^b/);
        }
        for (const kind of RELATIONSHIP_KINDS) {
          expect(await edges(store, B, kind)).toEqual([]);
          expect(await edges(store, B, kind, { from: ['e1', 'f1', 's1', 'c1', 'd1'] })).toEqual([]);
          expect(await edges(store, B, kind, { to: ['e1', 'e2', 'f2', 's1', 's2', 'n1'] })).toEqual([]);
        }
        expect((await store.episodesByKey(B, ['key of e1'])).size).toBe(0);
        expect(await store.findEpisodes(B, [{ id: 'e1' }, { session: 'main', index: 0 }])).toEqual([
          null,
          'be',
        ]);
        expect((await store.count(B)).episode).toBe(1);
        expect(await store.state(scopeOf(''))).toEqual({ sequence: 0, token: 0 });
      });

      // The last: the cases before it change nothing.
      it('removing in one leaves the other', async () => {
        const before = await everything(store, A);
        await store.commit(B, {
          removals: [
            { kind: 'entity', id: 'bn' },
            { kind: 'episode', id: 'be' },
          ],
        });
        expect(await everything(store, A)).toEqual(before);
      });

      it('removing the name of an emptied scope leaves the others', async () => {
        const [before, scopes] = [await everything(store, A), await store.scopes()];
        const gone = scopeOf('a scope to remove');
        await store.commit(gone, { nodes: { episode: [episode('gone')] } });
        await store.commit(gone, { removals: [{ kind: 'episode', id: 'gone' }] });
        expect(await store.scopes()).toContain(gone);
        await store.removeScope(gone);
        expect(await store.scopes()).toEqual(scopes);
        expect(await store.state(gone)).toEqual({ sequence: 0, token: 0 });
        expect(await everything(store, A)).toEqual(before);
        expect(await store.commit(gone, { nodes: { episode: [episode('gone')] } })).toBe(1);
      });
    });
  });

  /** A refusal leaves nothing behind, so that all of them share one store. */
  describe(`${name}: the GraphStore contract`, () => {
    let store: GraphStore;
    beforeAll(async () => {
      store = await open();
      await store.commit(A, { nodes: everyNode(), relationships: everyRelationship() });
    });
    afterAll(() => store.close());

    describe('refuses, and writes nothing of it:', () => {
      const good = { nodes: { fact: [fact('new')], entity: [entity('newEntity')] } };
      const removals = [
        { kind: 'fact', id: 'new' },
        { kind: 'entity', id: 'newEntity' },
      ] as const;
      const bad = (changes: object) => changes as GraphChanges;
      const refused: readonly (readonly [string, () => GraphChanges])[] = [
        ['an id twice', () => ({ nodes: { ...good.nodes, episode: [episode('x'), episode('x')] } })],
        ['an id that is taken', () => ({ nodes: { ...good.nodes, episode: [episode('e1')] } })],
        ['an empty id', () => ({ nodes: { ...good.nodes, episode: [episode('')] } })],
        ['half a character in an id', () => ({ nodes: { ...good.nodes, episode: [episode('\ud83d')] } })],
        [
          'a fraction as a time',
          () => ({ nodes: { ...good.nodes, episode: [episode('x', { validAt: 0.5 })] } }),
        ],
        ['NaN', () => ({ nodes: { ...good.nodes, fact: [fact('x', { confidence: Number.NaN })] } })],
        [
          'a Date',
          () => bad({ nodes: { ...good.nodes, episode: [{ ...episode('x'), validAt: new Date() }] } }),
        ],
        ['a missing column', () => bad({ nodes: { ...good.nodes, episode: [{ id: 'x' }] } })],
        [
          'an unknown role',
          () => bad({ nodes: { ...good.nodes, episode: [{ ...episode('x'), role: 'boss' }] } }),
        ],
        ['an unknown kind', () => bad({ nodes: { ...good.nodes, table: [] } })],
        [
          'plain numbers as a vector',
          () => bad({ nodes: { ...good.nodes, embedding: [{ ...embedding('x'), vector: [0.1] }] } }),
        ],
        [
          'a wrong pair',
          () => ({ ...good, relationships: [edge('NEXT', 'e1', 'n1', {}, ['episode', 'entity'])] }),
        ],
        [
          'an unlink of a wrong pair',
          () => ({ ...good, unlinks: [edge('NEXT', 'e1', 'n1', {}, ['episode', 'entity'])] }),
        ],
        [
          'an unlink of an unknown kind',
          () => bad({ ...good, unlinks: [{ ...edge('NEXT', 'e1', 'e2'), kind: 'LIKES' }] }),
        ],
        [
          'an edge that is there, though another is unlinked',
          () => ({
            ...good,
            unlinks: [edge('NEXT', 'e2', 'e3')],
            relationships: [edge('NEXT', 'e1', 'e2')],
          }),
        ],
        [
          'an unknown trust',
          () => bad({ nodes: { ...good.nodes, episode: [{ ...episode('x'), trust: 'full' }] } }),
        ],
        ['no confidence', () => ({ ...good, relationships: [edge('POSSIBLY_SAME', 'n2', 'n1')] })],
        [
          'an update of a reason',
          () => bad({ ...good, updates: [{ kind: 'failure', id: 'x1', set: { reason: 'x' } }] }),
        ],
        ['a missing role', () => ({ ...good, relationships: [edge('ABOUT', 'f1', 'n1')] })],
        [
          'a role it does not carry',
          () => ({ ...good, relationships: [edge('NEXT', 'e2', 'e1', { role: 'subject' })] }),
        ],
        [
          'an edge twice',
          () => ({ ...good, relationships: [edge('NEXT', 'e3', 'e1'), edge('NEXT', 'e3', 'e1')] }),
        ],
        ['an edge that is there', () => ({ ...good, relationships: [edge('NEXT', 'e1', 'e2')] })],
        [
          'another confidence for a pair',
          () => ({
            ...good,
            relationships: [edge('RELATED', 's1', 's2', { relation: 'causal', confidence: 0.1 })],
          }),
        ],
        [
          'an update of text',
          () => bad({ ...good, updates: [{ kind: 'episode', id: 'e1', set: { content: 'x' } }] }),
        ],
        [
          'an update to undefined',
          () => bad({ ...good, updates: [{ kind: 'fact', id: 'f1', set: { expiredAt: undefined } }] }),
        ],
      ];

      it.each(refused)('%s', async (_, changes) => {
        const before = await everything(store, A);
        const [{ sequence }, ...held] = before;
        await expect(store.commit(A, changes())).rejects.toSatisfy(InvalidChangeError.isInstance);
        expect(await everything(store, A)).toEqual(before);
        expect(await store.commit(A, good)).toBe(sequence + 1);
        // As the next case finds it.
        await store.commit(A, { removals });
        expect((await everything(store, A)).slice(1)).toEqual(held);
      });
    });
  });
}

function everyNode(): { [K in NodeKind]: NodeRows[K][] } {
  return {
    episode: [episode('e1'), episode('e2'), episode('e3')],
    segment: [segment('s1'), segment('s2')],
    entity: [entity('n1'), entity('n2')],
    profile: [profile('p1')],
    description: [description('d1')],
    fact: [fact('f1'), fact('f2')],
    category: [category('c1', { staleSince: 5 }), category('c2', { layer: 2 })],
    hierarchy: [hierarchy('h1')],
    failure: [failure('x1')],
    correction: [correction('r1')],
    tombstone: [tombstone('t1')],
    item: [item('i1')],
    embedding: [embedding('v1')],
  };
}

function everyRelationship(): Relationship[] {
  return [
    edge('NEXT', 'e1', 'e2'),
    edge('IN_SEGMENT', 'e1', 's1'),
    edge('MENTIONS', 'e1', 'n1'),
    edge('ABOUT', 'f1', 'n1', { role: 'subject' }),
    edge('ABOUT', 'f1', 'n1', { role: 'object' }),
    edge('ABOUT', 'f2', 'n2', { role: 'participant' }),
    edge('EVIDENCED_BY', 'f1', 'e1'),
    edge('EVIDENCED_BY', 'd1', 'e1', {}, ['description', 'episode']),
    edge('SUPERSEDES', 'f1', 'f2'),
    edge('RELATED', 's1', 's2', { relation: 'support', confidence: 0.1 + 0.2 }),
    edge('RELATED', 's2', 's1', { relation: 'contradict', confidence: 1 }),
    edge('FAILED_IN', 'e1', 'x1'),
    edge('POSSIBLY_SAME', 'n1', 'n2', { confidence: 0.1 + 0.2 }),
    edge('CATEGORIZES', 'c1', 'n1'),
    edge('CATEGORIZES', 'c2', 'c1', {}, ['category', 'category']),
  ];
}

async function rowsOf<K extends NodeKind>(store: GraphStore, scope: string, kind: K): Promise<NodeRows[K][]> {
  const rows: NodeRows[K][] = [];
  for await (const batch of store.scan(scopeOf(scope), kind)) rows.push(...(batch as readonly NodeRows[K][]));
  return rows;
}

async function edges(
  store: GraphStore,
  scope: string,
  ...[kind, filter]: [Relationship['kind'], { from?: string[]; to?: string[] }?]
): Promise<Relationship[]> {
  const found: Relationship[] = [];
  for await (const batch of store.relationships(scopeOf(scope), kind, filter)) found.push(...batch);
  return found;
}

const kept = (all: readonly Relationship[], ...gone: Relationship[]) =>
  all.filter((one) => !gone.some((other) => unlinkKey(other) === unlinkKey(one)));

async function allEdges(store: GraphStore): Promise<Relationship[]> {
  const found: Relationship[] = [];
  for (const kind of RELATIONSHIP_KINDS) found.push(...(await edges(store, A, kind)).map(plain));
  return found.toSorted(byJson);
}

/** Removes every row of a scope. */
async function clear(store: GraphStore, scope: string): Promise<void> {
  const removals = [];
  for (const kind of NODE_KINDS)
    for (const { id } of await rowsOf(store, scope, kind)) removals.push({ kind, id });
  await store.commit(scopeOf(scope), { removals });
}

/** All that a scope holds, in a fixed order. */
async function everything(store: GraphStore, scope: string) {
  const rows: [ScopeState, ...unknown[]] = [
    await store.state(scopeOf(scope)),
    await store.count(scopeOf(scope)),
  ];
  for (const kind of NODE_KINDS)
    rows.push((await rowsOf(store, scope, kind)).toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  for (const kind of RELATIONSHIP_KINDS)
    rows.push((await edges(store, scope, kind)).map(plain).toSorted(byJson));
  return rows;
}

async function expectRows(
  store: GraphStore,
  scope: string,
  rows: GraphChanges['nodes'] & object,
): Promise<void> {
  for (const kind of NODE_KINDS) {
    const wanted = rows[kind] ?? [];
    expect(await store.get(scopeOf(scope), kind, idsOf(wanted))).toEqual(wanted);
    const scanned = await rowsOf(store, scope, kind);
    expect(scanned.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
      wanted.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    );
  }
}

const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
const bits = (vector: Float32Array) =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('hex');
const plain = (one: Relationship): Relationship => ({ ...one });
const byJson = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
