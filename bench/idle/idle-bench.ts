import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Redis from 'ioredis';
import { Installation } from '../../test/chaos/installation';
import { measureCores } from '../../test/load/core-meter';
import { residentMegabytes } from '../../test/load/process-stats';
import type { Build } from '../builds';
import type { IdleOptions } from '../options';
import { startOwnDatabase } from '../own-database';
import { ProcessControl } from '../process-control';
import type { Workbench } from '../workbench';
import type { IdleFigures } from './idle-figures';
import { readRedisUsage, usageBetween } from './redis-usage';

/** Until the process sweeps less often, because nothing has happened. */
const SETTLING_S = 75;

/** Measures an installation that has nothing to do: one process with all roles, its database and its Redis. */
export class IdleBench {
  constructor(
    private readonly options: IdleOptions,
    private readonly builds: readonly Build[],
    private readonly workbench: Workbench,
    private readonly log: (text: string) => void,
  ) {}

  /** @returns figures of each turn and build. */
  async run(): Promise<IdleFigures[]> {
    await this.workbench.acquireLock();
    const figures: IdleFigures[] = [];
    const { turns } = this.options;
    for (let turn = 1; turn <= turns; turn++)
      for (const build of this.builds) {
        figures.push(await this.measure(build));
        this.log(`turn ${turn} of ${turns}, ${build.build}: measured`);
        await this.workbench.cleanUp();
      }
    return figures;
  }

  private async measure({ build, dist }: Build): Promise<IdleFigures> {
    const { workbench } = this;
    const { seconds } = this.options;
    const { stack, database, folder } = await startOwnDatabase(workbench);
    const installation = await Installation.start({
      stack,
      database,
      folder,
      dist,
      roles: ['all'],
      environment: {},
      nodeArguments: ['--require', join(__dirname, 'preload.cjs')],
      restartDelayMs: () => 0,
      onError: (error) => workbench.errors.push(error),
    });
    workbench.defer(() => installation.stop('SIGTERM'));
    const startMs = await restart(installation);
    const redis = new Redis(stack.redisUrl);
    workbench.defer(() => {
      redis.disconnect();
    });
    const control = new ProcessControl(installation.processes, folder);
    await sleep(SETTLING_S * 1_000);
    await control.takeCommands(['all']);
    const bytesBefore = await control.readBytes('all');
    const redisBefore = await readRedisUsage(redis);
    const cpuSince = measureCores(installation, stack);
    await sleep(seconds * 1_000);
    const cpu = cpuSince(1);
    const redisUsage = usageBetween(redisBefore, await readRedisUsage(redis));
    const bytes = await control.readBytes('all');
    const commands = await control.takeCommands(['all']);
    workbench.check();
    const perMinute = 60 / seconds;
    const bytesTo = (url: string) => {
      const { port } = new URL(url);
      return ((bytes[port] ?? 0) - (bytesBefore[port] ?? 0)) * perMinute;
    };
    return {
      build,
      startMs,
      memoryMb: residentMegabytes(pidOf(installation)),
      serviceCpuMs: (cpu['all 1'] ?? 0) * 1_000 * perMinute,
      databaseCpuMs: (cpu.database ?? 0) * 1_000 * perMinute,
      redisCpuMs: redisUsage.cpuSeconds * 1_000 * perMinute,
      databaseCommands: scaled(commands, perMinute),
      databaseBytes: bytesTo(stack.mongodbUri),
      redisCommands: scaled(redisUsage.commands, perMinute),
      redisBytes: bytesTo(stack.redisUrl),
    };
  }
}

/** Starts the process again, on its database of now. @returns the time from its start until it is ready. */
async function restart({ processes }: Installation): Promise<number> {
  const [process] = processes;
  const { pid } = process ?? {};
  process?.terminate();
  while (process?.pid === pid) await sleep(1);
  const startedAt = performance.now();
  await process?.waitUntilReady();
  return performance.now() - startedAt;
}

function pidOf({ processes }: Installation): number {
  const pid = processes[0]?.pid;
  if (pid === undefined) throw new Error('The service is not running');
  return pid;
}

const scaled = (counts: Readonly<Record<string, number>>, factor: number): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count * factor]));
