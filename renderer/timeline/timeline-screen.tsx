import { MemoryBar } from '../memory/memory-bar.tsx';

export function TimelineScreen({ scope }: { readonly scope: string }) {
  return <MemoryBar here="timeline" scope={scope} />;
}
