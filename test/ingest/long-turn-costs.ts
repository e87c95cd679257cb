import { measureTurn } from '../../bench/hostile-texts/measure.ts';
import { hostileText, ordinaryProse } from '../../bench/hostile-texts/shapes.ts';
import { Mnemis } from '../../src/engine.ts';

/**
 * Prints the costs of prose, then of each shape named, as a JSON array, each of the length named first. In a process of
 * its own: where the garbage of other tests is collected, that holds the event loop for longer than the shape.
 */
const [length, ...shapes] = process.argv.slice(2);
const engine = await Mnemis.open({ path: ':memory:', automatic: false });
await measureTurn(engine, 'warm', ordinaryProse(2_000));
const costs = [await measureTurn(engine, 'prose', ordinaryProse(Number(length)))];
for (const shape of shapes) costs.push(await measureTurn(engine, shape, hostileText(shape, Number(length))));
process.stdout.write(JSON.stringify(costs));
await engine.close();
