import { sum } from '../../src/common/sum';
import type { Turns } from '../process-control';

/** Figures of the API process of one build. Times are in milliseconds unless they say otherwise. */
export interface PhonesFigures {
  readonly build: string;
  readonly streams: number;
  /** RSS after a garbage collection. */
  readonly kilobytesPerStream: number;
  /** One minute in which nothing happens. */
  readonly idle: Turns & {
    /** Database commands by name and collection. */
    readonly commands: Readonly<Record<string, number>>;
  };
  /** At 20 messages a second. */
  readonly push: {
    /** From the offer of a worker until the phone has the message. */
    readonly p50: number;
    readonly p99: number;
    /** From the call until the phone has the message. */
    readonly sendP50: number;
    readonly sendP99: number;
    readonly longestBlockMs: number;
  };
  /** The process is killed and started again. */
  readonly restart: {
    /** Seconds from the kill. */
    readonly untilReady: number;
    readonly untilOpen: number;
    /** What the attempts to connect were answered: a status, or the error of the connection. */
    readonly answers: Readonly<Record<string, number>>;
    /** Since it listens. */
    readonly longestBlockMs: number;
  };
}

const ROWS: readonly (readonly [name: string, valueOf: (figures: PhonesFigures) => string | number])[] = [
  ['streams', ({ streams }) => streams],
  ['kB for each', ({ kilobytesPerStream }) => kilobytesPerStream],
  ['idle minute: longest block ms', ({ idle }) => round(idle.longestBlockMs)],
  ['idle minute: CPU ms', ({ idle }) => round(idle.cpuMs)],
  ['idle minute: database commands', ({ idle }) => sum(Object.values(idle.commands), Number)],
  ['push p50 ms', ({ push }) => push.p50],
  ['push p99 ms', ({ push }) => push.p99],
  ['send to phone p50 ms', ({ push }) => push.sendP50],
  ['send to phone p99 ms', ({ push }) => push.sendP99],
  ['pushes: longest block ms', ({ push }) => round(push.longestBlockMs)],
  ['restart: s until ready', ({ restart }) => restart.untilReady.toFixed(1)],
  ['restart: s until all are open', ({ restart }) => restart.untilOpen.toFixed(1)],
  ['restart: longest block ms', ({ restart }) => round(restart.longestBlockMs)],
  ['restart: answers', ({ restart }) => listed(restart.answers)],
];

export function phonesTable(figures: readonly PhonesFigures[]): string {
  const rows = [
    ['', ...figures.map(({ build }) => build)],
    ...ROWS.map(([name, valueOf]) => [name, ...figures.map((each) => String(valueOf(each)))]),
    ['idle minute: commands', ...figures.map(({ idle }) => listed(idle.commands))],
  ];
  return rows
    .map((cells) =>
      cells
        .map((cell) => cell.padEnd(34))
        .join('')
        .trimEnd(),
    )
    .join('\n');
}

const round = (value: number): number => Math.round(value);

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
