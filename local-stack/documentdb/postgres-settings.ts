import { POSTGRES_DATA } from './chroot';

/**
 * Written at every start, so that a newer checkout applies newer settings. Commits are durable, as with MongoDB's
 * journal.
 */
export const POSTGRES_SETTINGS = `
# Written by the local stack at every start.
include = 'postgresql.conf'
# No port: only a socket in the data folder, which other users cannot open.
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
# Commands take milliseconds, less than compiling a plan, or waiting a second before the check for deadlocks.
jit = off
deadlock_timeout = 100ms

shared_preload_libraries = 'pg_cron, pg_documentdb_core, pg_documentdb, pg_documentdb_extended_rum'
cron.database_name = 'postgres'
cron.log_run = off
cron.log_statement = off
documentdb.localhost_connection_string = 'host=${POSTGRES_DATA}'
# It builds indexes, as pg_cron's disabled jobs do, and its role cannot connect here: an error in the log every second.
documentdb.enableBackgroundWorker = off

# Sorts use indexes, as in MongoDB.
documentdb.alternate_index_handler_name = 'extended_rum'
enable_sort = off
# The results of a cursor are in a file, so that any connection can continue it.
documentdb.useFileBasedPersistedCursors = on
documentdb.defaultCursorExpiryTimeLimitSeconds = 3600
# Reports deadlocks, so that the proxy retries the command.
documentdb.throwDeadlockOnCRUD = on

# Errors are returned to the client; in the log they would contain documents.
log_min_messages = fatal
log_checkpoints = off
`;

/** Access by operating system user, without passwords: postgres, and root, which runs the proxy. */
export const POSTGRES_ACCESS = {
  'local-stack.hba': 'local all postgres peer map=stack\n',
  'local-stack.ident': 'stack postgres postgres\nstack root postgres\n',
} as const;

/**
 * pg_cron's jobs connect to the current port. TTL indexes are swept every ten seconds (MongoDB: 60). The background
 * index build is off, because the proxy builds indexes in the foreground.
 */
export const DATABASE_SETTINGS = `
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS documentdb CASCADE;
CREATE EXTENSION IF NOT EXISTS documentdb_extended_rum;
UPDATE cron.job SET nodename = '${POSTGRES_DATA}', nodeport = current_setting('port')::int;
UPDATE cron.job SET schedule = '10 seconds' WHERE jobname = 'documentdb_ttl_task';
UPDATE cron.job SET active = false WHERE jobname LIKE 'documentdb_index_build_task%';
`;
