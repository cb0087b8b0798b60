import { existsSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';

import { type MongodbSource } from './choose-mongodb';

/** Its port is preferred at the next start, so that URLs stay valid. */
export interface RunningProcess {
  readonly pid: number;
  readonly port: number;
}

/** What the last set-up started. Only a hint: the processes may have exited. */
export interface StackState {
  readonly mongodb?: {
    readonly source: MongodbSource;
    readonly server: RunningProcess;
    /** Only with DocumentDB; clients connect to it. */
    readonly proxy?: RunningProcess & {
      /** The proxy of another fingerprint is restarted. */
      readonly fingerprint: string;
    };
  };
  readonly redis?: RunningProcess;
}

const SOURCES: readonly unknown[] = [
  'mongod-on-path',
  'mongod-download',
  'documentdb',
] satisfies MongodbSource[];

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @returns undefined for an invalid process. */
export function parseProcess(value: unknown): RunningProcess | undefined {
  if (!isRecord(value)) return undefined;
  const { pid, port } = value;
  return typeof pid === 'number' && typeof port === 'number' ? { pid, port } : undefined;
}

function isSource(value: unknown): value is MongodbSource {
  return SOURCES.includes(value);
}

function mongodbOf(value: unknown): StackState['mongodb'] {
  if (!isRecord(value) || !isSource(value.source)) return undefined;
  const server = parseProcess(value.server);
  if (server === undefined) return undefined;
  // Earlier versions named the proxy `front`; theirs is restarted.
  const proxy = parseProcess(value.proxy) ?? parseProcess(value.front);
  if (proxy === undefined) return { source: value.source, server };
  const fingerprint = isRecord(value.proxy) ? String(value.proxy.fingerprint) : '';
  return { source: value.source, server, proxy: { ...proxy, fingerprint } };
}

/** Invalid parts are omitted and started again. */
export function parseState(text: string): StackState {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return {};
  }
  if (!isRecord(value)) return {};
  return { mongodb: mongodbOf(value.mongodb), redis: parseProcess(value.redis) };
}

export function readState(file: string): StackState {
  return existsSync(file) ? parseState(readFileSync(file, 'utf8')) : {};
}

/** Replaces the file atomically. */
export async function writeState(file: string, state: StackState): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(state, null, 2)}\n`);
  await rename(draft, file);
}
