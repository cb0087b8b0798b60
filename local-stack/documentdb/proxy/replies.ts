import { type Document } from 'bson';

import { VERSION, VERSION_ARRAY } from './version';

const STARTED_AT = Date.now();

/**
 * Without `setName`, drivers do not retry writes, as with a standalone server. Without `topologyVersion`, they do
 * not keep `hello` requests open.
 */
export function hello(connectionId: number): Document {
  return {
    helloOk: true,
    isWritablePrimary: true,
    ismaster: true,
    maxBsonObjectSize: 16 * 1024 * 1024,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 25_000,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: 30,
    connectionId,
    minWireVersion: 0,
    maxWireVersion: 21,
    readOnly: false,
    ok: 1,
  };
}

export function buildInfo(): Document {
  return {
    version: VERSION,
    versionArray: VERSION_ARRAY,
    gitVersion: 'documentdb',
    modules: ['documentdb'],
    bits: 64,
    maxBsonObjectSize: 16 * 1024 * 1024,
    ok: 1,
  };
}

export function serverStatus(openCursors: number): Document {
  const uptimeMillis = Date.now() - STARTED_AT;
  return {
    version: VERSION,
    process: 'mongod',
    pid: process.pid,
    uptime: Math.floor(uptimeMillis / 1000),
    uptimeMillis,
    localTime: new Date(),
    metrics: { cursor: { open: { total: openCursors } } },
    mem: { resident: Math.round(process.memoryUsage.rss() / 1024 / 1024) },
    ok: 1,
  };
}
