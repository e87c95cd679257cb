import { openSqliteStore } from '../../../src/store/sql/sqlite/sqlite-store.ts';
import { graphStoreContract } from '../../contract/graph-store.ts';
import { freshPath } from '../../engine/memory-fixture.ts';

graphStoreContract('SqlStore in a SQLite file', () => openSqliteStore(freshPath('.sqlite')), {
  idsArePerScope: true,
});
