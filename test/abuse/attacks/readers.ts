import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually } from '../../support/eventually';
import type { ReadersOptions, ReadersReport } from './response-readers';

const FIRST_RESPONSE_TIMEOUT_MS = 30_000;

/** Readers of large responses in a separate process. */
export class Readers {
  private latestReport: ReadersReport = {
    areAllReading: false,
    statusCounts: {},
    complete: 0,
    aborted: 0,
    megabytes: 0,
  };

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (report) => {
      this.latestReport = report as ReadersReport;
    });
  }

  /** Starts the readers and waits until each has received the start of a response. */
  static async start(options: ReadersOptions): Promise<Readers> {
    const readers = new Readers(fork(join(__dirname, 'response-readers.ts')));
    readers.child.send(options);
    await eventually(
      () => readers.latestReport.areAllReading,
      (areAllReading) => areAllReading,
      FIRST_RESPONSE_TIMEOUT_MS,
    );
    return readers;
  }

  get report(): ReadersReport {
    return this.latestReport;
  }

  /** Disconnects all readers. */
  async stop(): Promise<void> {
    const exit = once(this.child, 'exit');
    this.child.disconnect();
    await exit;
  }
}
