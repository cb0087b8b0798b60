import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

const KILOBYTES_IN_MEGABYTE = 1_024;

/** What the kernel counts of a process's time in: a hundredth of a second on every Linux there is. */
const TICKS_IN_SECOND = 100;

/** The memory a process has in RAM (`VmRSS`), in MB. @throws when there is no such process, or no Linux. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kilobytes === undefined) throw new Error(`/proc/${pid}/status names no VmRSS`);
  return Number(kilobytes) / KILOBYTES_IN_MEGABYTE;
}

/** The time that a process has computed since it began, in seconds. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in brackets, may hold blanks: the fields are counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_IN_SECOND;
}

/** The processes with one of these texts on their command line. */
export function processesWith(marks: readonly string[]): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => marks.some((mark) => commandLine(pid).includes(mark)))
    .map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it has ended meanwhile
  }
}

/** The time of all cores of this machine, in seconds: how much of it was not idle, and all of it. */
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
