import { text } from '../../strings/text.ts';

/** The name of a speaker or entity; turns without a name have the role instead. */
export const speakerName = (name: string): string => text.memory.speakers[name] ?? name;
