import { useEffect, useState } from 'react';
import type { MathPlugin } from 'streamdown';

let loaded: MathPlugin | null = null;
let loading: Promise<MathPlugin> | null = null;

async function load(): Promise<MathPlugin> {
  const [{ default: remarkMath }, { default: rehypeKatex }] = await Promise.all([
    import('remark-math'),
    import('rehype-katex'),
    import('katex/dist/katex.min.css'),
  ]);
  return {
    name: 'katex',
    type: 'math',
    remarkPlugin: [remarkMath, { singleDollarTextMath: false }],
    rehypePlugin: [rehypeKatex, { errorColor: 'inherit', strict: false, trust: false }],
  };
}

/** The plugin for formulas, loaded when the first text has one. */
export function useMath(isNeeded: boolean): MathPlugin | null {
  const [plugin, setPlugin] = useState(loaded);
  useEffect(() => {
    if (!isNeeded || plugin !== null) return;
    loading ??= load();
    void loading.then(
      (found) => {
        loaded = found;
        setPlugin(found);
      },
      () => {
        loading = null; // tried again with the next text
      },
    );
  }, [isNeeded, plugin]);
  return isNeeded ? plugin : null;
}
