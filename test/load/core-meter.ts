import type { Installation } from '../chaos/installation';
import type { OwnStack } from '../chaos/own-stack';
import { cpuSeconds, machineSeconds, processesWith } from './process-view';

/** @returns what tells the cores that were busy since this call, which is so many seconds ago. */
export function measureCores(
  { processes }: Installation,
  stack: OwnStack,
): (seconds: number) => Record<string, number> {
  const view = (): [string, number, number][] => [
    ...processes.flatMap(({ name, pid }): [string, number, number][] =>
      pid === undefined ? [] : [[name, pid, cpuSeconds(pid)]],
    ),
    ...processesWith(stack.databaseMarks()).map((pid): [string, number, number] => [
      'the database',
      pid,
      cpuSeconds(pid),
    ]),
    ['this program', process.pid, cpuSeconds(process.pid)],
  ];
  const before = new Map(view().map(([, pid, used]) => [pid, used]));
  const machineBefore = machineSeconds().busy;
  return (seconds) => {
    const cores: Record<string, number> = {};
    for (const [name, pid, used] of view()) {
      cores[name] = (cores[name] ?? 0) + (used - (before.get(pid) ?? 0)) / seconds;
    }
    return { ...cores, 'the whole machine': (machineSeconds().busy - machineBefore) / seconds };
  };
}
