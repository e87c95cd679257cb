import { it } from 'vitest';
import { memoryOver, watchedStore } from './memory-over.ts';
import { randomConversation, randomSentence } from './random-conversation.ts';
import { problemsOf } from './invariants.ts';
import { graphOf } from '../memory-fixture.ts';
import { seededRandom } from '../../search/random.ts';
it('lone', async()=>{
  const {memory}=await memoryOver(watchedStore().store);
  const t={content:'I moved to Oslo last month.',speaker:'Ann',session:'s',at:1e12,sourceId:'1'};
  await memory.add(t); await memory.flush();
  await memory.add({...t,content:'I moved to Madrid last month.'});
  console.log('LONE before flush', problemsOf(await graphOf(memory)));
  await memory.flush();
  console.log('LONE', problemsOf(await graphOf(memory)));
});
it('all', async()=>{
  const {memory}=await memoryOver(watchedStore().store);
  const turns=randomConversation(seededRandom(3),{turns:6});
  await memory.add(turns); await memory.flush();
  await memory.add(turns.map(t=>({...t,content:t.content+' Really.'})));
  await memory.flush();
  console.log('ALL', problemsOf(await graphOf(memory)));
  console.log((await memory.stats()));
});
it('retry: corrected set aside', async()=>{
});
it('break resume', async()=>{
  const {memory}=await memoryOver(watchedStore().store);
  const turns=randomConversation(seededRandom(3),{turns:600, sessions: 30});
  await memory.add(turns);
  try { for await (const e of memory.resume()) { console.log('BREAK', e.type); break; } console.log('BREAK ok'); } catch(e) { console.log('BREAK threw', e); }
  console.log('BREAK', (await memory.stats()).enrichment);
  console.log('BREAK problems', problemsOf(await graphOf(memory)));
});
