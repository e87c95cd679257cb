import { postgresContract } from './postgres-contract.ts';

postgresContract('for a role that row-level security applies to', { role: 'owner' });
postgresContract('for a superuser, whom row-level security does not hold', { role: 'superuser' });
postgresContract('with partitions by scope', { role: 'owner', partitions: 2 });
