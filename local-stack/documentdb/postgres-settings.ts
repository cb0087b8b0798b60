import { POSTGRES_DATA } from './chroot';

/**
 * Written at every start, so that a newer checkout applies newer settings. Commits are durable, as with MongoDB's
 * journal.
 */
export const POSTGRES_SETTINGS = `
# Written by the local stack at every start.
include = 'postgresql.conf'
# No port: only a socket in the data's folder, which other users cannot open.
listen_addresses = ''
unix_socket_directories = '${POSTGRES_DATA}'
unix_socket_permissions = 0700
hba_file = '${POSTGRES_DATA}/local-stack.hba'
ident_file = '${POSTGRES_DATA}/local-stack.ident'
max_connections = 100
shared_buffers = 256MB
effective_cache_size = 1GB
max_wal_size = 1GB
checkpoint_timeout = 15min
random_page_cost = 1.1
# Commands take milliseconds: compiling their plans would take longer, and so would waiting a second for a deadlock.
jit = off
deadlock_timeout = 100ms

shared_preload_libraries = 'pg_cron, pg_documentdb_core, pg_documentdb, pg_documentdb_extended_rum'
cron.database_name = 'postgres'
cron.log_run = off
cron.log_statement = off
documentdb.localhost_connection_string = 'host=${POSTGRES_DATA}'

# Sorts run along an index, as they do on MongoDB.
documentdb.alternate_index_handler_name = 'extended_rum'
enable_sort = off
# A cursor's results stand in a file: any connection may continue it, and none is tied up by it.
documentdb.useFileBasedPersistedCursors = on
documentdb.defaultCursorExpiryTimeLimitSeconds = 3600
# The front tries again what lost against another command, so it must be told.
documentdb.throwDeadlockOnCRUD = on

# Failing statements are told to the client; they would fill the log with documents.
log_min_messages = fatal
log_checkpoints = off
`;

/** Access by operating system user, without passwords: postgres, and root, which runs the front. */
export const POSTGRES_ACCESS = {
  'local-stack.hba': 'local all postgres peer map=stack\n',
  'local-stack.ident': 'stack postgres postgres\nstack root postgres\n',
} as const;

/**
 * pg_cron's jobs connect to the current port. TTL indexes are swept every ten seconds (MongoDB: 60). The background
 * index build is off, because the front builds indexes in the foreground.
 */
export const DATABASE_SETTINGS = `
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS documentdb CASCADE;
CREATE EXTENSION IF NOT EXISTS documentdb_extended_rum;
UPDATE cron.job SET nodename = '${POSTGRES_DATA}', nodeport = current_setting('port')::int;
UPDATE cron.job SET schedule = '10 seconds' WHERE jobname = 'documentdb_ttl_task';
UPDATE cron.job SET active = false WHERE jobname LIKE 'documentdb_index_build_task%';
`;
