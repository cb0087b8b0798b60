import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { Installation } from '../../test/chaos/installation';
import type { OwnStack } from '../../test/chaos/own-stack';
import { measureCores } from '../../test/load/core-meter';
import { OpenLoop } from '../../test/load/open-loop';
import { eventually } from '../../test/support/eventually';
import type { Build } from '../builds';
import type { LifecycleOptions } from '../options';
import { startOwnDatabase } from '../own-database';
import { ProcessControl } from '../process-control';
import { Receiver } from '../receiver';
import { Records } from '../records';
import type { Workbench } from '../workbench';
import { ROLES } from '../workbench';
import { type Lives, figuresOf, type LifecycleFigures, type StoredBytes } from './lifecycle-figures';
import { LifecycleTraffic } from './lifecycle-traffic';

/** Long enough that V8 has compiled what runs often: after 10 s its compiler still takes 7 % of the CPU time. */
const WARM_UP_S = 40;
const MAX_SETTLING_MS = 120_000;

/** Each message is sent and delivered, and each account has two webhooks. */
const EVENTS_PER_MESSAGE = 4;

/** A service that is being measured, with what calls it. */
interface Scene {
  readonly db: mongo.Db;
  readonly installation: Installation;
  readonly stack: OwnStack;
  readonly control: ProcessControl;
  readonly receiver: Receiver;
  readonly traffic: LifecycleTraffic;
}

/**
 * Measures whole lives of messages: programs of sixteen accounts send at a steady rate, phones on streams report sent and
 * delivered, two webhooks of each account receive, and two dashboards read.
 */
export class LifecycleBench {
  constructor(
    private readonly options: LifecycleOptions,
    private readonly builds: readonly Build[],
    private readonly workbench: Workbench,
    private readonly log: (text: string) => void,
  ) {}

  /** @returns a row for each turn, build and rate. @throws when a message or an event is lost. */
  async run(): Promise<LifecycleFigures[]> {
    await this.workbench.acquireLock();
    const { rates, turns } = this.options;
    const figures: LifecycleFigures[] = [];
    for (let turn = 1; turn <= turns; turn++)
      for (const rate of rates)
        for (const { build, dist } of this.builds) {
          const scene = await this.start(dist);
          await this.measure(scene, rate, WARM_UP_S);
          const lives = await this.measure(scene, rate, this.options.seconds);
          figures.push(figuresOf(build, rate, lives));
          this.log(`turn ${turn} of ${turns}, ${build}, ${rate} a second: measured`);
          await this.workbench.cleanUp();
        }
    return figures;
  }

  private async measure(scene: Scene, rate: number, seconds: number): Promise<Lives> {
    const { db, installation, stack, control, receiver, traffic } = scene;
    traffic.forget();
    receiver.clear();
    await control.takeCommands(ROLES);
    const storedBefore = await readStoredBytes(db);
    const cpuSince = measureCores(installation, stack);
    const loop = new OpenLoop({ rate, seconds }, (number, dueAt) => {
      void traffic.send(number, dueAt);
    });
    await loop.run();
    await eventually(
      async () => {
        await sleep(100);
        return receiver.arrivals.size;
      },
      (events) => events >= loop.due * EVENTS_PER_MESSAGE,
      MAX_SETTLING_MS,
    );
    const cpuSeconds = cpuSince(1);
    this.workbench.check();
    const stored = await readStoredBytes(db);
    return {
      messages: loop.due,
      late: loop.late,
      answerTimes: traffic.answerTimes,
      toPhoneTimes: traffic.toPhoneTimes,
      cpuSeconds,
      commands: await control.takeCommands(ROLES),
      bytes: {
        dataBytes: stored.dataBytes - storedBefore.dataBytes,
        indexBytes: stored.indexBytes - storedBefore.indexBytes,
      },
    };
  }

  private async start(dist: string): Promise<Scene> {
    const { workbench } = this;
    const { stack, database, folder, db } = await startOwnDatabase(workbench);
    const receiver = await Receiver.start();
    workbench.defer(() => receiver.stop());
    const onError = (error: string) => workbench.errors.push(error);
    const installation = await Installation.start({
      stack,
      database,
      folder,
      dist,
      roles: ROLES,
      environment: { RATE_LIMIT_PER_KEY: '0', MAX_PHONE_REQUESTS_PER_MINUTE: '0' },
      nodeArguments: ['--require', join(__dirname, 'preload.cjs')],
      restartDelayMs: () => 0,
      onError,
    });
    workbench.defer(() => installation.stop('SIGTERM'));
    const traffic = await LifecycleTraffic.start({
      records: new Records(db),
      baseUrl: installation.apiUrls[0] ?? '',
      webhookUrl: receiver.url,
      onError,
    });
    workbench.defer(() => traffic.stop());
    const control = new ProcessControl(installation.processes, folder);
    return { db, installation, stack, control, receiver, traffic };
  }
}

/** The data is the size of the documents: what a database adds or saves differs. */
async function readStoredBytes(db: mongo.Db): Promise<StoredBytes> {
  let dataBytes = 0;
  for (const { name } of await db.listCollections().toArray())
    for await (const document of db.collection(name).find())
      dataBytes += mongo.BSON.calculateObjectSize(document);
  const { indexSize } = await db.stats();
  return { dataBytes, indexBytes: Number(indexSize) };
}
