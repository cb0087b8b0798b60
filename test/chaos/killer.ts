import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from './seeded-random';
import type { Installation } from './installation';
import { type Kill, KILLS, type PlannedKill } from './kill-plan';
import type { OwnStack } from './own-stack';
import type { PhoneSet } from './phone-set';
import type { ProgressLog } from './progress-log';
import type { ServiceProcess } from './service-process';

export interface KillTargets {
  readonly installation: Installation;
  readonly stack: OwnStack;
  readonly phones: PhoneSet;
}

/** The requested kills without those of servers that MONGODB_URI or REDIS_URL names. */
export function supportedKills(requested: readonly Kill[] = KILLS, stack: OwnStack): Kill[] {
  const stackKills: readonly Kill[] = stack.supportedKills();
  const isStackKill = (kill: Kill) =>
    kill.startsWith('database') || kill.startsWith('Redis') || kill === 'everything';
  return requested.filter((kill) => !isStackKill(kill) || stackKills.includes(kill));
}

/** Kills and freezes processes, the stack and phones. */
export class Killer {
  /** The number of executions of each kill. */
  readonly kills = new Map<Kill, number>();

  constructor(
    private readonly targets: KillTargets,
    private readonly random: SeededRandom,
    private readonly progress: ProgressLog,
  ) {}

  /** Executes each kill at its time. Resolves when everything is up again. */
  async run(plan: readonly PlannedKill[]): Promise<void> {
    const start = performance.now();
    const running: Promise<void>[] = [];
    for (const { at, kill, downMs } of plan) {
      await sleep(Math.max(0, start + at - performance.now()));
      this.kills.set(kill, (this.kills.get(kill) ?? 0) + 1);
      running.push(this.execute(kill, downMs));
    }
    await Promise.all(running);
    await Promise.all(this.targets.installation.processes.map((process) => process.waitUntilReady()));
  }

  private async execute(kill: Kill, downMs: number): Promise<void> {
    const { installation, stack, phones } = this.targets;
    switch (kill) {
      case 'api':
      case 'worker':
      case 'scheduler': {
        const process = this.pick(kill);
        this.progress.log(`kill -9 ${process.name}`);
        process.kill();
        return;
      }
      case 'api, asked to stop':
      case 'worker, asked to stop':
      case 'scheduler, asked to stop': {
        const process = this.pick(roleOf(kill));
        this.progress.log(`SIGTERM ${process.name}`);
        process.terminate();
        return;
      }
      case 'api, frozen for a while':
      case 'worker, frozen for a while': {
        const process = this.pick(roleOf(kill));
        this.progress.log(`${process.name} frozen for ${Math.round(downMs / 1_000)} s`);
        process.freeze(downMs);
        await sleep(downMs);
        return;
      }
      case 'database away while all are asked to stop':
      case 'Redis away while all are asked to stop':
        this.progress.log(kill);
        await stack.kill(kill, downMs, () => {
          for (const process of installation.processes) process.terminate();
        });
        this.progress.log('restored');
        return;
      case 'phone':
        this.progress.log('stream phone crashes');
        await this.random.pick(phones.streams).crash(downMs);
        return;
      case 'everything':
        this.progress.log('kill -9 everything');
        for (const process of installation.processes) process.kill();
        await stack.kill(kill, downMs);
        return;
      case 'Redis with its data':
      case 'Redis master':
      case 'database':
      case 'database server':
      case 'database proxy':
      case 'database primary':
        this.progress.log(`kill -9 ${kill}`);
        await stack.kill(kill, downMs);
        this.progress.log(`${kill}: restored`);
        return;
      case 'Redis master, frozen for a while':
      case 'Redis failover':
      case 'Redis slots moved':
      case 'database primary steps down':
      case 'database answers lost':
      case 'database without majority':
        this.progress.log(kill);
        await stack.kill(kill, downMs);
        this.progress.log(`${kill}: done`);
    }
  }

  private pick(role: ServiceProcess['role']): ServiceProcess {
    return this.random.pick(this.targets.installation.withRole(role));
  }
}

/** The role of a kill such as `api, asked to stop`. */
function roleOf(kill: `${ServiceProcess['role']}, ${string}`): ServiceProcess['role'] {
  const [role] = kill.split(',') as [ServiceProcess['role']];
  return role;
}
