import { MemoryBar } from '../memory/memory-bar.tsx';

export function CompareScreen({ scope }: { readonly scope: string }) {
  return <MemoryBar here="compare" scope={scope} />;
}
