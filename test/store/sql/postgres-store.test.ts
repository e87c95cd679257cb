import { postgresContract } from './postgres-contract.ts';

postgresContract('for a role that row-level security applies to', { role: 'owner' });
