import { it } from 'vitest';
import { memoryOver, watchedStore } from '/work/main/test/engine/ingestion/memory-over.ts';
import { randomConversation, randomSentence } from '/work/main/test/engine/ingestion/random-conversation.ts';
import { problemsOf } from '/work/main/test/engine/ingestion/invariants.ts';
import { upToIds } from '/work/main/test/engine/ingestion/graph-up-to-ids.ts';
import { graphOf } from '/work/main/test/engine/memory-fixture.ts';
import { seededRandom } from '/work/main/test/search/random.ts';
const diff=(a:any,b:any)=>{for(const k of Object.keys(a)){const A=new Set(a[k]),B=new Set(b[k]); const x=a[k].filter((e:any)=>!B.has(e)), y=b[k].filter((e:any)=>!A.has(e)); if(x.length||y.length||a[k].length!==b[k].length) console.log('   ',k,a[k].length,b[k].length,x.length,y.length,'\n      -',x.slice(0,2).join('\n      - '),'\n      +',y.slice(0,2).join('\n      + '));}};
it('x', async()=>{
for (let seed=1; seed<=12; seed++){
  const random=seededRandom(seed);
  const sessions=1+(seed%3);
  const turns=randomConversation(random,{turns:16+seed, sessions});
  const t0=performance.now();
  const one=(await memoryOver(watchedStore().store)).memory; await one.add(turns); await one.flush();
  const auto=(await memoryOver(watchedStore().store,{automatic:true})).memory; for(const t of turns) await auto.add(t); await auto.flush();
  const steps=(await memoryOver(watchedStore().store,{automatic:true})).memory; for(const t of turns) {await steps.add(t); await new Promise(r=>setTimeout(r,5));} await steps.flush();
  const [a,b,c]=await Promise.all([one,auto,steps].map(graphOf));
  console.log(seed,sessions,turns.length,performance.now()-t0|0,'problems',problemsOf(a).length,problemsOf(b).length,problemsOf(c).length, problemsOf(c)[0]??'');
  diff(upToIds(a),upToIds(b)); diff(upToIds(a),upToIds(c));
}
},600000);
