import { MemoryBar } from '../memory/memory-bar.tsx';

export function ReviewScreen({ scope }: { readonly scope: string }) {
  return <MemoryBar here="review" scope={scope} />;
}
