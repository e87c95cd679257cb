import { MemoryBar } from '../memory/memory-bar.tsx';

export function ForgetScreen({ scope }: { readonly scope: string }) {
  return <MemoryBar here="forget" scope={scope} />;
}
