import { Breather } from '../../util/breathe.ts';
import { stringsIn } from '../text-holders/strings-in.ts';
import { HeldTally, type TextHolder } from '../text-holders/text-holder.ts';
import type { ItemTree } from './item-tree.ts';

/** The items that are held in memory, with their namespaces and keys. */
export function itemHolder(trees: () => Iterable<Promise<ItemTree>>): TextHolder {
  return {
    name: 'items',
    async holds(texts, { signal } = {}) {
      const tally = new HeldTally();
      const breather = new Breather();
      for await (const tree of trees())
        for (const { namespace, key, value } of tree.all()) {
          signal?.throwIfAborted();
          await breather.breathe();
          for (const string of [...namespace, key, ...stringsIn(value)])
            tally.addFoundIn(string, texts, 'current');
        }
      return tally.all();
    },
  };
}
