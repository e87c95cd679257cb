import { readFileSync } from 'node:fs';
import { InMemoryStore } from '../../src/store/in-memory/in-memory-store.ts';
import { checkScopedHistory } from '../engine/forget/check-history.ts';

const text = readFileSync('/tmp/fail3.json', 'utf8');
console.log((await checkScopedHistory(JSON.parse(text), new InMemoryStore())) || 'equal');
