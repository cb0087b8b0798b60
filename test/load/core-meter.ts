import type { Installation } from '../chaos/installation';
import type { OwnStack } from '../chaos/own-stack';
import { cpuSeconds, machineSeconds, findProcesses } from './process-stats';

/** Starts measuring CPU. @returns a function that computes the busy cores from the seconds since this call. */
export function measureCores(
  { processes }: Installation,
  stack: OwnStack,
): (seconds: number) => Record<string, number> {
  const readCpu = (): [string, number, number][] => [
    ...processes.flatMap(({ name, pid }): [string, number, number][] =>
      pid === undefined ? [] : [[name, pid, cpuSeconds(pid)]],
    ),
    ...findProcesses(stack.databaseProcessMarks()).map((pid): [string, number, number] => [
      'database',
      pid,
      cpuSeconds(pid),
    ]),
    ['test', process.pid, cpuSeconds(process.pid)],
  ];
  const cpuBefore = new Map(readCpu().map(([, pid, used]) => [pid, used]));
  const machineBefore = machineSeconds().busy;
  return (seconds) => {
    const cores: Record<string, number> = {};
    for (const [name, pid, used] of readCpu()) {
      cores[name] = (cores[name] ?? 0) + (used - (cpuBefore.get(pid) ?? 0)) / seconds;
    }
    return { ...cores, all: (machineSeconds().busy - machineBefore) / seconds };
  };
}
