import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually } from '../../support/eventually';
import type { ReadersOrder, ReadersReport } from './answer-readers';

const FIRST_ANSWER_LIMIT_MS = 30_000;

/** Readers of large answers, in a process of their own. */
export class Readers {
  private last: ReadersReport = { areAllReading: false, answers: {}, whole: 0, broken: 0, megabytes: 0 };

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (report) => {
      this.last = report as ReadersReport;
    });
  }

  /** Resolves once each reader has the beginning of an answer. */
  static async start(order: ReadersOrder): Promise<Readers> {
    const readers = new Readers(fork(join(__dirname, 'answer-readers.ts')));
    readers.child.send(order);
    await eventually(
      () => readers.last.areAllReading,
      (areAllReading) => areAllReading,
      FIRST_ANSWER_LIMIT_MS,
    );
    return readers;
  }

  get report(): ReadersReport {
    return this.last;
  }

  /** They leave, wherever they are. */
  async end(): Promise<void> {
    const exit = once(this.child, 'exit');
    this.child.disconnect();
    await exit;
  }
}
