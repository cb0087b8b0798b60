import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

const KILOBYTES_IN_MEGABYTE = 1_024;

/** Clock ticks per second (USER_HZ), 100 on Linux. */
const TICKS_IN_SECOND = 100;

/** The resident memory of a process (`VmRSS`), in MB. Linux only. @throws if the process does not exist. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kilobytes === undefined) throw new Error(`/proc/${pid}/status names no VmRSS`);
  return Number(kilobytes) / KILOBYTES_IN_MEGABYTE;
}

/** The CPU time of a process, in seconds. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The program name in parentheses may contain spaces, so count the fields after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_IN_SECOND;
}

/** The ids of processes with one of these texts on their command line. */
export function findProcesses(marks: readonly string[]): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => marks.some((mark) => commandLine(pid).includes(mark)))
    .map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // the process has exited
  }
}

/** Busy and total CPU time of all cores, in seconds. */
export function machineSeconds(): { busy: number; all: number } {
  let busy = 0;
  let all = 0;
  for (const { times } of cpus()) {
    const sum = times.user + times.nice + times.sys + times.irq + times.idle;
    busy += (sum - times.idle) / 1_000;
    all += sum / 1_000;
  }
  return { busy, all };
}
