import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { link, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 100;

/** Tells a process from a later one with the same pid. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses can contain spaces; the start time is the 20th field after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}

function isHeld(owner: string): boolean {
  const [pid, start] = owner.trim().split(' ');
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return hasCode(error, 'EPERM'); // another user's process
  }
  return start === undefined || start === startOf(Number(pid));
}

/**
 * Removes the lock of a process that has exited. It is renamed and checked again, because another process may have
 * acquired it.
 */
function removeStaleLock(file: string): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    if (isHeld(readFileSync(file, 'utf8'))) return;
    renameSync(file, aside);
    if (isHeld(readFileSync(aside, 'utf8'))) linkSync(aside, file);
  } catch {
    // already removed
  } finally {
    rmSync(aside, { force: true });
  }
}

async function acquire(file: string): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${process.pid} ${startOf(process.pid)}\n`);
  try {
    await link(draft, file); // unlike an exclusive open, never visible without content
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Runs work under an exclusive lock file and takes over the lock of a process that has exited.
 * @param onWait called once if another process holds the lock.
 */
export async function withLock<T>(file: string, onWait: () => void, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(file), { recursive: true });
  for (let waited = false; !(await acquire(file)); waited = true) {
    removeStaleLock(file);
    if (!waited) onWait();
    await pause(POLL_MS);
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}
