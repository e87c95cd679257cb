import { Mnemis } from '../src/index.ts';
import { readLocomoDataset } from '../eval/datasets/locomo.ts';
const [first] = (await readLocomoDataset('../shared/data/locomo/locomo5-dev.json')).cases;
const engine = await Mnemis.open({ path: ':memory:' });
const memory = engine.scope('a');
for (let i = 0; i < first!.turns.length; i += 256) await memory.add(first!.turns.slice(i, i + 256) as never);
await memory.flush();
const list = await memory.list({ limit: 500 });
for (const at of [400]) {
  const t = list.items[at]! as any;
  const report = await memory.forget({ episode: t.id });
  console.log(at, t.content, JSON.stringify(report.proof).slice(0, 1500), report.seconds);
}
await engine.close();
