import { type Statement } from './sql';

const BSON = 'documentdb_core.bson';
const SEQUENCE = 'documentdb_core.bsonsequence';

function statement(name: string, text: string): Statement {
  return { name, text };
}

function firstPage(kind: 'find' | 'aggregate' | 'list_collections' | 'list_indexes'): Statement {
  return statement(
    `${kind}_first_page`,
    `SELECT cursorpage::bytea, continuation::bytea, cursorid::text
       FROM documentdb_api.${kind}_cursor_first_page($1, $2::bytea::${BSON})`,
  );
}

function write(kind: 'insert' | 'update' | 'delete'): Statement {
  return statement(
    kind,
    `SELECT p_result::bytea FROM documentdb_api.${kind}($1, $2::bytea::${BSON}, $3::bytea::${SEQUENCE})`,
  );
}

/** A function of the database name and the command that returns the reply. */
function direct(name: string, call: string): Statement {
  return statement(name, `SELECT ${call}::bytea`);
}

/** The functions of the extension, one statement per MongoDB command. */
export const SQL = {
  ping: statement('ping', 'SELECT 1'),
  find: firstPage('find'),
  aggregate: firstPage('aggregate'),
  listCollections: firstPage('list_collections'),
  listIndexes: firstPage('list_indexes'),
  getMore: statement(
    'get_more',
    `SELECT cursorpage::bytea, continuation::bytea
       FROM documentdb_api.cursor_get_more($1, $2::bytea::${BSON}, $3::bytea::${BSON})`,
  ),
  deleteCursors: direct('delete_cursors', 'documentdb_api_internal.delete_cursors($1::text::bigint[])'),
  insert: write('insert'),
  update: write('update'),
  // Commits each update, as MongoDB does, so that lists in different orders do not deadlock.
  updateSeveral: statement(
    'update_several',
    `CALL documentdb_api.update_bulk($1, $2::bytea::${BSON}, $3::bytea::${SEQUENCE})`,
  ),
  delete: write('delete'),
  findAndModify: statement(
    'find_and_modify',
    `SELECT p_result::bytea FROM documentdb_api.find_and_modify($1, $2::bytea::${BSON})`,
  ),
  count: statement('count', `SELECT document::bytea FROM documentdb_api.count_query($1, $2::bytea::${BSON})`),
  distinct: statement(
    'distinct',
    `SELECT document::bytea FROM documentdb_api.distinct_query($1, $2::bytea::${BSON})`,
  ),
  // The other variant builds the index in the background and returns before it exists.
  createIndexes: direct(
    'create_indexes',
    `documentdb_api_internal.create_indexes_non_concurrently($1, $2::bytea::${BSON}, true)`,
  ),
  dropIndexes: statement('drop_indexes', `CALL documentdb_api.drop_indexes($1, $2::bytea::${BSON})`),
  create: direct('create', `documentdb_api.create_collection_view($1, $2::bytea::${BSON})`),
  drop: statement('drop', 'SELECT documentdb_api.drop_collection($1, $2)'),
  dropDatabase: statement('drop_database', 'SELECT documentdb_api.drop_database($1)'),
  renameCollection: direct('rename_collection', `documentdb_api.rename_collection($1::bytea::${BSON})`),
  listDatabases: direct('list_databases', `documentdb_api.list_databases($1::bytea::${BSON})`),
  collMod: direct('coll_mod', `documentdb_api.coll_mod($1, $2, $3::bytea::${BSON})`),
  collStats: direct('coll_stats', 'documentdb_api.coll_stats($1, $2)'),
  dbStats: direct('db_stats', 'documentdb_api.db_stats($1)'),
  validate: statement(
    'validate',
    `SELECT document::bytea FROM documentdb_api.validate($1, $2::bytea::${BSON})`,
  ),
  indexByName: statement(
    'index_by_name',
    `SELECT (index_spec).index_name, (index_spec).index_key::bytea
       FROM documentdb_api_catalog.collection_indexes JOIN documentdb_api_catalog.collections USING (collection_id)
      WHERE database_name = $1 AND collection_name = $2 AND (index_spec).index_name = $3`,
  ),
  indexById: statement(
    'index_by_id',
    `SELECT (index_spec).index_name, (index_spec).index_key::bytea
       FROM documentdb_api_catalog.collection_indexes WHERE index_id = $1`,
  ),
} as const;

export const EXPLAINED = {
  find: 'bson_aggregation_find',
  aggregate: 'bson_aggregation_pipeline',
  count: 'bson_aggregation_count',
  distinct: 'bson_aggregation_distinct',
  update: 'bson_aggregation_update',
  delete: 'bson_aggregation_delete',
  findAndModify: 'bson_aggregation_find_and_modify',
} as const;

/** @param run also executes the command, for statistics. */
export function explain(kind: keyof typeof EXPLAINED, run: boolean): Statement {
  const options = run ? 'ANALYZE, FORMAT JSON' : 'FORMAT JSON';
  return statement(
    `explain_${kind}${run ? '_analyze' : ''}`,
    `EXPLAIN (${options}) SELECT document FROM documentdb_api_catalog.${EXPLAINED[kind]}($1, $2::bytea::${BSON})`,
  );
}
