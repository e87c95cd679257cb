import { type ComponentType, lazy } from 'react';

/** A component whose file is loaded when it is shown first. */
export const lazily = <Name extends string, Props>(
  load: () => Promise<Readonly<Record<Name, ComponentType<Props>>>>,
  name: Name,
) => lazy(async () => ({ default: (await load())[name] }));
